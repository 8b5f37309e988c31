#!/bin/sh
# Starts Redis with TLS alone. Its one user has the service's own keys, and no command of an administrator.
set -eu
umask 077
users=${USERS_FILE:-/tmp/users.acl}
cat >"$users" <<END
user default off
user pesapost on >$REDISCLI_AUTH ~pesapost:* +@read +@write +@scripting +@connection -@dangerous +info +time
END
# The service refuses to start on any other policy: a nonce that is evicted can be replayed. A rewrite of the file takes a
# processor for seconds, so it is made rarely (docs/adr/0080).
exec redis-server \
  --port 0 --tls-port "${REDIS_PORT:-6379}" --tls-auth-clients no --tls-protocols "TLSv1.2 TLSv1.3" \
  --tls-cert-file "${TLS_FOLDER:-/tls}/server.crt" --tls-key-file "${TLS_FOLDER:-/tls}/server.key" \
  --tls-ca-cert-file "${AUTHORITY_FOLDER:-/authority}/ca.crt" \
  --aclfile "$users" --dir "${DATA_FOLDER:-/data}" --appendonly yes \
  --auto-aof-rewrite-min-size 256mb --auto-aof-rewrite-percentage 400 --rdbcompression no \
  --maxmemory 512mb --maxmemory-policy noeviction
