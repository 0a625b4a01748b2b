// The version of this SDK, which is the engine's, and how it is told.

package millrace

import (
	"strconv"
	"strings"
)

// Version of the SDK. It is the engine's: both are made from one repository.
const Version = "0.1.0"

// UserAgent is what the SDK calls itself.
const UserAgent = "millrace-go/" + Version

// olderThan compares versions of three numbers; what is not such a version is not older.
func olderThan(version, other string) bool {
	left, right := versionNumbers(version), versionNumbers(other)
	if left == nil || right == nil {
		return false
	}
	for i := range left {
		if left[i] != right[i] {
			return left[i] < right[i]
		}
	}
	return false
}

func versionNumbers(version string) []int {
	plain, _, _ := strings.Cut(version, "-")
	parts := strings.Split(plain, ".")
	if len(parts) != 3 {
		return nil
	}
	numbers := make([]int, len(parts))
	for i, part := range parts {
		number, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		numbers[i] = number
	}
	return numbers
}
