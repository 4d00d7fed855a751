// The generators of cutpursev1, pinned apart from the SDK so that nobody who uses the SDK depends on them.
module github.com/cutpurse/cutpurse/sdk/go/generators

go 1.24.0

tool (
	google.golang.org/grpc/cmd/protoc-gen-go-grpc
	google.golang.org/protobuf/cmd/protoc-gen-go
)

require (
	google.golang.org/grpc/cmd/protoc-gen-go-grpc v1.6.1 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)
