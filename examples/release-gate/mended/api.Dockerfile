# syntax=localhost:5000/loopx-frontend:dev
FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip
ADD --checksum=sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730 https://downloads.example.com/model.bin /srv/model.bin
COPY requirements.txt /srv/
RUN pip install --break-system-packages -r /srv/requirements.txt
