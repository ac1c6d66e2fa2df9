# Everything but the logs: docker build -f .binder/figures.Dockerfile -t replication . && docker run --rm --network none --memory 2g replication
# Binder would use a file of the name Dockerfile in place of requirements.txt.
# With real logs: docker run --rm --network none -v /my/logs:/logs -e REPLICATION_TRACES=/logs replication
FROM python:3.13.9-slim-trixie

# Debian keeps no older versions to pin.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends make git \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /replication
COPY . .
RUN make setup

# Stand-ins take the place of logs that are not there.
ENV REPLICATION_OFFLINE=1
CMD ["make", "figures", "SCALE=quick", "WORKERS=2"]
