#!/bin/sh
# Stands in for the commands of a Debian machine whose files are below $MACHINE. Called by the name of the command.
# systemd runs no service here, so `systemctl` does what the unit files do.
set -eu
command=$(basename "$0")
socket=$MACHINE/run/mysqld.sock
defaults=--defaults-file=$MACHINE/etc/mysql/my.cnf

is_running() {
  pid=$(cat "$MACHINE/run/$1.pid" 2>/dev/null) || return 1
  # A killed process stays a zombie where no init process collects it.
  [ -r "/proc/$pid/stat" ] && ! grep -q ') Z ' "/proc/$pid/stat"
}

launch() {
  name=$1
  shift
  setsid "$@" </dev/null >>"$MACHINE/var/log/$name.log" 2>&1 &
  echo $! >"$MACHINE/run/$name.pid"
}

# The unit of MariaDB passes the position of `galera_recovery`, and returns when the server is ready.
start_mariadb() {
  if is_running mariadb; then return; fi
  rm -f "$socket"
  position=$(/usr/sbin/mariadbd "$defaults" --wsrep-recover --disable-log-error 2>&1 | sed -n 's/.*Recovered position: *//p')
  launch mariadb /usr/sbin/mariadbd "$defaults" ${position:+"--wsrep-start-position=$position"} "$@"
  until /usr/bin/mariadb-admin --no-defaults --socket="$socket" ping >/dev/null 2>&1; do
    if ! is_running mariadb; then
      grep -E 'ERROR|safe to bootstrap' "$MACHINE/var/log/mariadb.log" | tail -n 5 >&2
      exit 1
    fi
    sleep 0.2
  done
}

start_state_service() {
  if is_running state-service; then return; fi
  set -a
  . "$MACHINE/etc/state-service.env"
  set +a
  launch state-service "$NODE_BINARY" "$PROGRAM" serve
}

stop() {
  if ! is_running "$1"; then return; fi
  kill "$(cat "$MACHINE/run/$1.pid")"
  while is_running "$1"; do sleep 0.1; done
}

case "$command $*" in
"apt-get install --yes mariadb-server galera-4 rsync")
  cat >"$MACHINE/etc/mysql/my.cnf" <<END
[mariadbd]
user = $SERVER_USER
datadir = $MACHINE/var/lib/mysql
socket = $socket
skip_name_resolve = ON
!includedir $MACHINE/etc/mysql/mariadb.conf.d/
END
  mariadb-install-db --no-defaults --user="$SERVER_USER" --datadir="$MACHINE/var/lib/mysql" \
    --auth-root-authentication-method=normal --skip-test-db >/dev/null
  chown -R "$SERVER_USER:" "$MACHINE/var/lib" "$MACHINE/run"
  ;;
"galera_new_cluster ")
  stop mariadb
  start_mariadb --wsrep-new-cluster
  ;;
"systemctl start mariadb") start_mariadb ;;
"systemctl stop mariadb") stop mariadb ;;
"systemctl enable --now state-service") start_state_service ;;
"systemctl stop state-service") stop state-service ;;
"systemctl restart haproxy")
  stop haproxy
  launch haproxy /usr/sbin/haproxy -f "$MACHINE/etc/haproxy/haproxy.cfg"
  sleep 0.5
  if ! is_running haproxy; then
    cat "$MACHINE/var/log/haproxy.log" >&2
    exit 1
  fi
  ;;
"mariadb "*) exec /usr/bin/mariadb --no-defaults --user=root --socket="$socket" "$@" ;;
"mariadbd "*) exec /usr/sbin/mariadbd "$defaults" "$@" ;;
"haproxy "*) exec /usr/sbin/haproxy "$@" ;;
"state-service "*) exec "$NODE_BINARY" "$PROGRAM" "$@" ;;
*)
  echo "the runbook runs a command that lab/check/runbook/machine.sh does not know: $command $*" >&2
  exit 127
  ;;
esac
