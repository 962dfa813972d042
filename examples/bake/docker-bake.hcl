# The frontend for every target. FRONTEND=… in the environment takes its place.
variable "FRONTEND" {
  default = "localhost:5000/loopx-frontend:dev"
}

variable "REPOSITORY" {
  default = "loopx-example"
}

group "default" {
  targets = ["api", "worker", "notices"]
}

# What all targets share: as good as a "# syntax=" line in each Dockerfile.
target "_frontend" {
  args = {
    BUILDKIT_SYNTAX = FRONTEND
  }
}

target "api" {
  inherits = ["_frontend"]
  context  = "api"
  tags     = ["${REPOSITORY}/api"]
}

target "worker" {
  inherits = ["_frontend"]
  context  = "worker"
  tags     = ["${REPOSITORY}/worker"]
}

target "notices" {
  name     = "notices-${licence}"
  inherits = ["_frontend"]
  matrix = {
    licence = ["gpl", "lgpl"]
  }
  context = "notices"
  args = {
    LICENCE = "${licence}-3.0"
  }
  tags = ["${REPOSITORY}/notices-${licence}"]
}
