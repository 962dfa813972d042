# The image of a task, as somebody else built it. It has no CA bundle, and runs as
# a user without rights.
FROM debian:bookworm-slim
RUN useradd --create-home bench
USER bench
WORKDIR /home/bench
