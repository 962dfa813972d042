# syntax=localhost:5000/loopx-frontend:dev
FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip
ADD http://downloads.example.com:8080/model.bin /srv/model.bin
COPY requirements.txt /srv/
RUN pip install --break-system-packages -r /srv/requirements.txt
