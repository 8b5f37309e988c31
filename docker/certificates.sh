#!/bin/sh
# Makes a private authority and a certificate for each server of docker-compose.yml, at the first start only:
#   docker compose run --rm certificates renew    makes new ones; restart all services afterwards
# The authority's key is thrown away as soon as it has signed, so it cannot sign anything else.
set -eu
umask 077
home=${TLS_HOME:-/tls}
days=${TLS_DAYS:-825}
servers='eventstore postgres redis proxy'

case "${BASE_URL:-}" in
https://*) ;;
*)
  echo 'BASE_URL: must begin with https://, since the proxy serves nothing else' >&2
  exit 1
  ;;
esac
host=$(printf '%s' "$BASE_URL" | sed -E 's#^https://([^/:]+).*$#\1#')
case "$host" in
*[!0-9.]*) public="DNS:$host" check=-checkhost ;;
*) public="IP:$host" check=-checkip ;;
esac

complete() {
  test -s "$home/authority/ca.crt" || return 1
  for server in $servers; do test -s "$home/$server/server.crt" || return 1; done
}

if [ "${1:-}" != renew ] && complete; then
  openssl x509 -in "$home/authority/ca.crt" -noout -enddate
  openssl x509 -in "$home/authority/ca.crt" -noout -checkend 2592000 >/dev/null ||
    echo 'the certificates expire within 30 days: run "docker compose run --rm certificates renew"' >&2
  openssl x509 -in "$home/proxy/server.crt" -noout "$check" "$host" | grep -q 'does match' ||
    echo "the proxy's own certificate does not name $host: run \"docker compose run --rm certificates renew\"" >&2
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/openssl.cnf" <<END
[req]
distinguished_name = name
prompt = no
x509_extensions = authority
[name]
CN = PesaPost authority of $(date -u +%Y-%m-%dT%H:%M:%SZ)
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
END
openssl req -x509 -config "$work/openssl.cnf" -newkey rsa:2048 -noenc -days "$days" \
  -keyout "$work/ca.key" -out "$work/ca.crt" 2>/dev/null

# certificate SERVER USER COMMON-NAME NAMES: a key that only the server's user may read, and its certificate
certificate() {
  usage=serverAuth
  # The nodes of a cluster are clients of each other.
  if [ "$1" = eventstore ]; then usage='serverAuth, clientAuth'; fi
  cat >"$work/$1.ext" <<END
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = $usage
authorityKeyIdentifier = keyid
subjectAltName = $4
END
  openssl req -new -config "$work/openssl.cnf" -subj "/CN=$3" -newkey rsa:2048 -noenc \
    -keyout "$work/$1.key" -out "$work/$1.csr" 2>/dev/null
  openssl x509 -req -in "$work/$1.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -days "$days" \
    -set_serial "0x$(openssl rand -hex 16)" -extfile "$work/$1.ext" -out "$work/$1.crt" 2>/dev/null
  cat "$work/$1.crt" "$work/$1.key" >"$work/$1.pem"
  mkdir -p "$home/$1"
  chmod 755 "$home/$1"
  place "$work/$1.crt" "$home/$1/server.crt" "$2" 444
  place "$work/$1.key" "$home/$1/server.key" "$2" 400
  # HAProxy reads one file with both.
  if [ "$1" = proxy ]; then place "$work/$1.pem" "$home/$1/pesapost.pem" "$2" 400; fi
}

# place FILE TARGET USER MODE: the target is whole at any moment
place() {
  cp "$1" "$2.new"
  chmod "$4" "$2.new"
  if [ "$(id -u)" = 0 ]; then chown "$3" "$2.new"; fi
  mv "$2.new" "$2"
}

here='DNS:localhost, IP:127.0.0.1'
# The users of the images. The event store's nodes know each other by this common name.
certificate eventstore 1000 eventstoredb-node "DNS:eventstore, $here"
certificate postgres 999 postgres "DNS:postgres, $here"
certificate redis 999 redis "DNS:redis, $here"
certificate proxy 99 "$host" "$public"
mkdir -p "$home/authority"
chmod 755 "$home/authority"
# The last one: without it a start that was cut off begins again.
place "$work/ca.crt" "$home/authority/ca.crt" 0 444
echo "made certificates for $servers, and for $host at the proxy"
