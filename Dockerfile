# The frontend image, built from source by docker. `make image` builds the same
# content on the host, without docker and without a base image.
ARG GO_VERSION=1.26.8

FROM --platform=$BUILDPLATFORM golang:${GO_VERSION} AS source
WORKDIR /src

# What RUNs are given: the same for every platform of the frontend.
FROM source AS mount
RUN --mount=type=bind,target=. \
    --mount=type=cache,target=/root/.cache/go-build \
    --mount=type=cache,target=/go/pkg/mod \
    go run ./internal/cmd/mkimage -mount /out

FROM source AS build
ARG TARGETOS
ARG TARGETARCH
ARG TARGETVARIANT
ARG VERSION=devel
ARG REVISION=unknown
RUN --mount=type=bind,target=. \
    --mount=type=cache,target=/root/.cache/go-build \
    --mount=type=cache,target=/go/pkg/mod \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X 'main.version=$VERSION' -X 'main.revision=$REVISION'" \
      -o /out/bin/loopx-frontend ./cmd/loopx-frontend && \
    mkdir /out/loopx && \
    ln -s "apt/${TARGETOS}_$TARGETARCH${TARGETVARIANT:+_$TARGETVARIANT}" /out/loopx/run

FROM scratch
ARG VERSION=devel
ARG REVISION=unknown
LABEL moby.buildkit.frontend.network.none="true" \
      moby.buildkit.frontend.caps="moby.buildkit.frontend.inputs,moby.buildkit.frontend.subrequests,moby.buildkit.frontend.contexts,moby.buildkit.frontend.gitquerystring,moby.buildkit.frontend.contexts.zstd" \
      org.opencontainers.image.title="loopx-frontend" \
      org.opencontainers.image.description="Dockerfile frontend that fetches over TLS: apt, and the fetches written in a Dockerfile" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/loopx/loopx-frontend" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=mount /out/ /
COPY --from=build /out/ /
ENTRYPOINT ["/bin/loopx-frontend"]
