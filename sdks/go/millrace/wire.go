// Types of the wire that need more than the contract's fields: ordered maps, durations, variables.

package millrace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Variables of an instance, or the payload of a standalone job: a JSON object.
type Variables = map[string]any

// Duration is an ISO-8601 duration such as PT30S, as the wire has it.
type Duration string

// DurationOf writes a time.Duration as the wire has it. Parts below a millisecond are dropped.
func DurationOf(d time.Duration) Duration {
	if whole := d.Truncate(time.Minute); whole == d && d > 0 {
		return Duration("PT" + strconv.FormatInt(int64(whole/time.Minute), 10) + "M")
	}
	seconds := strconv.FormatFloat(d.Truncate(time.Millisecond).Seconds(), 'f', -1, 64)
	return Duration("PT" + seconds + "S")
}

// Condition leads to a step where its boolean expression is true.
type Condition struct {
	Expression string
	NextStep   string
}

// Conditions are tried in their order; the first that is true wins. On the wire they are an object.
type Conditions []Condition

// MarshalJSON keeps the order.
func (c Conditions) MarshalJSON() ([]byte, error) {
	return marshalOrdered(len(c), func(i int) (string, any) { return c[i].Expression, c[i].NextStep })
}

// UnmarshalJSON keeps the order.
func (c *Conditions) UnmarshalJSON(data []byte) error {
	*c = nil
	return unmarshalOrdered(data, func(key string, value json.RawMessage) error {
		condition := Condition{Expression: key}
		*c = append(*c, condition)
		return json.Unmarshal(value, &(*c)[len(*c)-1].NextStep)
	})
}

// SetVariable gives a variable a literal, or what an expression such as "${a + b}" gives.
type SetVariable struct {
	Name  string
	Value any
}

// Transformations are done in their order. On the wire they are an object.
type Transformations []SetVariable

// MarshalJSON keeps the order.
func (t Transformations) MarshalJSON() ([]byte, error) {
	return marshalOrdered(len(t), func(i int) (string, any) { return t[i].Name, t[i].Value })
}

// UnmarshalJSON keeps the order.
func (t *Transformations) UnmarshalJSON(data []byte) error {
	*t = nil
	return unmarshalOrdered(data, func(key string, value json.RawMessage) error {
		*t = append(*t, SetVariable{Name: key})
		return json.Unmarshal(value, &(*t)[len(*t)-1].Value)
	})
}

func marshalOrdered(count int, at func(int) (string, any)) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i := range count {
		if i > 0 {
			out.WriteByte(',')
		}
		key, value := at(i)
		if err := writeEntry(&out, key, value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func writeEntry(out *bytes.Buffer, key string, value any) error {
	name, err := json.Marshal(key)
	if err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	out.Write(name)
	out.WriteByte(':')
	out.Write(text)
	return nil
}

func unmarshalOrdered(data []byte, entry func(string, json.RawMessage) error) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	opening, err := decoder.Token()
	if err != nil || opening == nil {
		return err
	}
	if opening != json.Delim('{') {
		return fmt.Errorf("an object was expected, not %v", opening)
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if err := entry(key.(string), value); err != nil {
			return err
		}
	}
	return nil
}

// ParseDefinition reads the JSON of a definition and refuses fields that it does not know.
func ParseDefinition(text []byte) (Definition, error) {
	var definition Definition
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&definition); err != nil {
		return Definition{}, fmt.Errorf("not a definition: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return definition, nil
}
