// What a tool finds that has no stubs of the contract: services and methods by reflection, health, and a call made from
// what reflection tells.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

const (
	service          = "workflow.v1.WorkflowEngine"
	discoverPatience = 30 * time.Second
	shortDeadline    = 50 * time.Millisecond
)

func (e *grpcEngine) discover() (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), discoverPatience)
	defer cancel()
	reflection, err := grpc_reflection_v1.NewServerReflectionClient(e.conn).ServerReflectionInfo(ctx)
	if err != nil {
		return nil, err
	}
	services, err := listServices(reflection)
	if err != nil {
		return nil, err
	}
	methods, err := describeMethods(reflection)
	if err != nil {
		return nil, err
	}
	deadline, err := endOfPoll(e.conn, methods.ByName("PollJobs"))
	if err != nil {
		return nil, err
	}
	health, err := grpc_health_v1.NewHealthClient(e.conn).
		Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: service})
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{
		"services": services, "methods": namesOf(methods), "health": health.GetStatus().String(), "deadline": deadline,
	})
}

type reflectionStream = grpc.BidiStreamingClient[
	grpc_reflection_v1.ServerReflectionRequest, grpc_reflection_v1.ServerReflectionResponse]

func ask(
	stream reflectionStream, request *grpc_reflection_v1.ServerReflectionRequest,
) (*grpc_reflection_v1.ServerReflectionResponse, error) {
	if err := stream.Send(request); err != nil {
		return nil, err
	}
	answer, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	if refused := answer.GetErrorResponse(); refused != nil {
		return nil, fmt.Errorf("reflection: %s", refused.GetErrorMessage())
	}
	return answer, nil
}

func listServices(stream reflectionStream) ([]string, error) {
	answer, err := ask(stream, &grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	})
	names := []string{}
	for _, one := range answer.GetListServicesResponse().GetService() {
		names = append(names, one.GetName())
	}
	return names, err
}

// describeMethods builds the service out of the files that it stands on, as a tool does before it calls one.
func describeMethods(stream reflectionStream) (protoreflect.MethodDescriptors, error) {
	answer, err := ask(stream, &grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service},
	})
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	for _, content := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(content, file); err != nil {
			return nil, err
		}
		set.File = append(set.File, file)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, err
	}
	found, err := files.FindDescriptorByName(service)
	if err != nil {
		return nil, err
	}
	return found.(protoreflect.ServiceDescriptor).Methods(), nil
}

func namesOf(methods protoreflect.MethodDescriptors) []string {
	names := []string{}
	for i := range methods.Len() {
		names = append(names, string(methods.Get(i).Name()))
	}
	return names
}

// longPoll is of a job type that has no jobs.
const longPoll = `{"workerId": "discoverer", "jobTypes": ["discovered-by-nobody"], "waitSeconds": 20}`

// endOfPoll is the status of a long poll that goes on for longer than its caller waits.
func endOfPoll(conn *grpc.ClientConn, poll protoreflect.MethodDescriptor) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), shortDeadline)
	defer cancel()
	request := dynamicpb.NewMessage(poll.Input())
	if err := protojson.Unmarshal([]byte(longPoll), request); err != nil {
		return "", err
	}
	err := conn.Invoke(ctx, fmt.Sprintf("/%s/%s", service, poll.Name()), request, dynamicpb.NewMessage(poll.Output()))
	return status.Code(err).String(), nil
}
