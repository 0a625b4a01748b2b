#!/usr/bin/env bash
# A real Apache Kafka on this machine for tests and examples, made of the jars on Maven Central. Needs Java 17 and Maven;
# with --secure also openssl.
#
#   npm run kafka -- fetch                          download the jars, once (55 MB)
#   npm run kafka -- start [options]                start it and print its addresses as NAME=value
#   npm run kafka -- topic NAME PARTITIONS          create a topic, unless it exists
#   npm run kafka -- kill [--node N]                kill -9; the data stays, and `start` goes on with it
#   npm run kafka -- stop [--keep]                  stop it in order, and remove its folder unless --keep
#
# For tests, which share brokers one after the other; the folder is that of all of them:
#   npm run kafka -- borrow --dir POOL              start a secure one that is not lent, and print its addresses and KAFKA_DIR
#   npm run kafka -- give-back --dir KAFKA_DIR      it goes on, and the next may borrow it
#   npm run kafka -- drain --dir POOL               stop all of them
#
# Options: --dir FOLDER (all commands), --port N (0: free ones), --nodes 1|3, --secure, --advertise PORT.
# Brokers of a cluster are ten ports apart. The port of a broker speaks plaintext, the next one is its controller's. With --secure the
# third speaks SASL_PLAINTEXT, the fourth SASL_SSL and the fifth SSL, with PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512. --advertise is for a
# proxy in front of the plaintext port of a single broker: clients are told that port. The folder remembers the options of its first start.
#
# Environment: MILLRACE_KAFKA_CACHE (where the jars are kept), MILLRACE_KAFKA_DIR (the folder where --dir is not given),
# MILLRACE_KAFKA_VERSION, MILLRACE_KAFKA_JVM, MILLRACE_KAFKA_USER, MILLRACE_KAFKA_PASSWORD, MVN_ARGS.
set -euo pipefail

version=${MILLRACE_KAFKA_VERSION:-4.3.1}
jars=${MILLRACE_KAFKA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/millrace-kafka}/$version
folder=${MILLRACE_KAFKA_DIR:-${TMPDIR:-/tmp}/millrace-kafka}
jvm=${MILLRACE_KAFKA_JVM:--Xms64m -Xmx512m -XX:+UseSerialGC}
user=${MILLRACE_KAFKA_USER:-millrace}
password=${MILLRACE_KAFKA_PASSWORD:-millrace-secret}
# Any 16 bytes in base64url.
cluster_id=TWlsbHJhY2VLYWZrYVRlcw

usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; }

fail() {
  echo "kafka: $*" >&2
  exit 1
}

# --- the jars

fetch() {
  [ -d "$jars" ] && return
  local work
  mkdir -p "$(dirname "$jars")"
  work=$(mktemp -d "$(dirname "$jars")/fetch.XXXXXX")
  write_pom >"$work/pom.xml"
  # shellcheck disable=SC2086 # MVN_ARGS is a list of words.
  if ! mvn -B -q ${MVN_ARGS:-} -f "$work/pom.xml" dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$work/jars" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    rm -rf "$work"
    fail "Kafka $version could not be downloaded"
  fi
  # Another call may have been faster; its jars are as good.
  mv -T "$work/jars" "$jars" 2>/dev/null || true
  rm -rf "$work"
}

write_pom() {
  echo '<project><modelVersion>4.0.0</modelVersion><groupId>local</groupId><artifactId>kafka</artifactId><version>1</version><dependencies>'
  write_dependency org.apache.kafka kafka_2.13 "$version"
  write_dependency org.apache.kafka kafka-tools "$version"
  # What Kafka's log lines are written by.
  write_dependency org.apache.logging.log4j log4j-slf4j-impl 2.25.4
  echo '</dependencies></project>'
}

write_dependency() { echo "<dependency><groupId>$1</groupId><artifactId>$2</artifactId><version>$3</version></dependency>"; }

# --- processes and ports

# A command of Kafka's, silent unless it fails.
run_tool() {
  local said
  said=$(java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${jvm_options[@]}" "$@" 2>&1) || {
    echo "$said" >&2
    return 1
  }
}

# The process of a broker, if it runs and is that of this folder: its settings file is on the command line.
pid_of() {
  local pid
  pid=$(cat "$folder/node-$1/pid" 2>/dev/null) || return
  ps -ww -p "$pid" -o args= 2>/dev/null | grep -qF "$folder/node-$1/server.properties" && echo "$pid"
}

is_listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A broker that was killed is gone from the list of processes a moment before its last thread lets go of the port.
await_free() {
  local tries
  for ((tries = 0; tries < 50; tries++)); do
    is_listening "$1" || return 0
    sleep 0.1
  done
  fail "port $1 is taken"
}

# Below the ports that the system hands out by itself, with room for three brokers.
free_port() {
  local first offset
  first=$((20002 + RANDOM % 360 * 30))
  for offset in {0..24}; do
    if is_listening $((first + offset)); then
      free_port
      return
    fi
  done
  if reserve "$first"; then echo "$first"; else free_port; fi
}

# Another cluster may be about to start, or be killed and start again: its ports are its own as long as its folder is there.
reserve() {
  local owners=${TMPDIR:-/tmp}/millrace-kafka-ports
  mkdir -p "$owners"
  if [ -e "$owners/$1" ] && [ ! -d "$(cat "$owners/$1")" ]; then rm -f "$owners/$1"; fi
  mkdir -p "$folder"
  (set -o noclobber && echo "$folder" >"$owners/$1") 2>/dev/null
}

# The addresses of all brokers at an offset from their port, with commas between them.
addresses() { seq -s , -f '127.0.0.1:%.0f' $((port + $1)) 10 $((port + $1 + 10 * (nodes - 1))); }

# --- the files of a broker

write_properties() {
  local base=$((port + 10 * ($1 - 1))) in_sync=$(((nodes + 1) / 2)) voters="" node plain secured=""
  for ((node = 1; node <= nodes; node++)); do voters+=",$node@127.0.0.1:$((port + 10 * node - 9))"; done
  [ -z "$secure" ] || secured=",SASL_PLAINTEXT://127.0.0.1:$((base + 2)),SASL_SSL://127.0.0.1:$((base + 3)),SSL://127.0.0.1:$((base + 4))"
  plain="PLAINTEXT://127.0.0.1"
  cat <<END
process.roles=broker,controller
node.id=$1
controller.quorum.voters=${voters#,}
listeners=$plain:$base$secured,CONTROLLER://127.0.0.1:$((base + 1))
advertised.listeners=$plain:${advertise:-$base}$secured
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL
log.dirs=$folder/node-$1/data
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
num.io.threads=4
log.cleaner.dedupe.buffer.size=8388608
offsets.topic.num.partitions=5
offsets.topic.replication.factor=$nodes
transaction.state.log.num.partitions=5
transaction.state.log.replication.factor=$nodes
transaction.state.log.min.isr=$in_sync
share.coordinator.state.topic.replication.factor=$nodes
share.coordinator.state.topic.min.isr=$in_sync
default.replication.factor=$nodes
min.insync.replicas=$in_sync
END
  [ -z "$secure" ] || write_security
}

write_security() {
  local login=org.apache.kafka.common.security listener
  cat <<END
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
ssl.keystore.type=PEM
ssl.keystore.location=$folder/tls/server.pem
ssl.truststore.type=PEM
ssl.truststore.location=$folder/tls/ca.pem
END
  for listener in sasl_plaintext sasl_ssl; do
    cat <<END
listener.name.$listener.plain.sasl.jaas.config=$login.plain.PlainLoginModule required user_$user="$password";
listener.name.$listener.scram-sha-256.sasl.jaas.config=$login.scram.ScramLoginModule required;
listener.name.$listener.scram-sha-512.sasl.jaas.config=$login.scram.ScramLoginModule required;
END
  done
}

prepare_folder() {
  mkdir -p "$folder/tmp"
  echo "$port $nodes ${secure:-0} ${advertise:-0}" >"$folder/state"
  cat >"$folder/log4j2.properties" <<'END'
appender.c.type=Console
appender.c.name=c
appender.c.layout.type=PatternLayout
appender.c.layout.pattern=%d %p %m (%c)%n
rootLogger.level=INFO
rootLogger.appenderRef.c.ref=c
END
  [ -z "$secure" ] || [ -f "$folder/tls/server.pem" ] || make_certificate
}

# One certificate that has signed itself: it is the server's and the authority's at once.
make_certificate() {
  mkdir -p "$folder/tls"
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -keyout "$folder/tls/key.pem" -out "$folder/tls/ca.pem" 2>/dev/null
  cat "$folder/tls/key.pem" "$folder/tls/ca.pem" >"$folder/tls/server.pem"
}

# --- the commands

start() {
  local node
  fetch
  prepare_folder
  for ((node = 1; node <= nodes; node++)); do pid_of "$node" >/dev/null || launch "$node"; done
  for ((node = 1; node <= nodes; node++)); do await_started "$node"; done
  print_addresses
}

launch() {
  local home=$folder/node-$1 base=$((port + 10 * ($1 - 1)))
  await_free "$base"
  mkdir -p "$home"
  write_properties "$1" >"$home/server.properties"
  [ -f "$home/data/meta.properties" ] || run_tool kafka.tools.StorageTool format -t "$cluster_id" -c "$home/server.properties" \
    --add-scram "SCRAM-SHA-256=[name=$user,password=$password]" --add-scram "SCRAM-SHA-512=[name=$user,password=$password]"
  # shellcheck disable=SC2086 # A list of words.
  setsid java $jvm "${jvm_options[@]}" kafka.Kafka "$home/server.properties" >"$home/server.log" 2>&1 </dev/null &
  echo $! >"$home/pid"
}

await_started() {
  local log=$folder/node-$1/server.log tries
  for ((tries = 0; tries < 1200; tries++)); do
    grep -q 'Kafka Server started' "$log" && return
    pid_of "$1" >/dev/null || {
      tail -20 "$log" >&2
      fail "broker $1 has ended"
    }
    sleep 0.1
  done
  fail "broker $1 is not up after two minutes; see $log"
}

print_addresses() {
  echo "KAFKA_BOOTSTRAP=$(addresses 0)"
  [ -z "$secure" ] || cat <<END
KAFKA_SASL_PLAINTEXT=$(addresses 2)
KAFKA_SASL_SSL=$(addresses 3)
KAFKA_SSL=$(addresses 4)
KAFKA_CA=$folder/tls/ca.pem
KAFKA_USER=$user
KAFKA_PASSWORD=$password
END
}

# Sends a signal to all brokers, or to that of --node, and waits for their end. One that takes longer than 20 s is killed.
end_with() {
  local signal=$1 node pid tries chosen
  chosen=${only:-$(seq "$nodes")}
  for node in $chosen; do
    pid=$(pid_of "$node") && kill "-$signal" "$pid" || true
  done
  for node in $chosen; do
    for ((tries = 0; tries < 200; tries++)); do
      pid_of "$node" >/dev/null || continue 2
      sleep 0.1
    done
    pid=$(pid_of "$node") && kill -KILL "$pid" || true
  done
}

# To make a folder is to have it: two cannot.
borrow() {
  local broker=1
  mkdir -p "$folder"
  until mkdir "$folder/lent-$broker" 2>/dev/null; do broker=$((broker + 1)); done
  "$0" start --dir "$folder/broker-$broker" --port 0 --secure
  echo "KAFKA_DIR=$folder/broker-$broker"
}

give_back() { rmdir "$(dirname "$folder")/lent-${folder##*-}"; }

drain() {
  local broker
  for broker in "$folder"/broker-*; do "$0" stop --dir "$broker"; done
}

create_topic() {
  fetch
  run_tool org.apache.kafka.tools.TopicCommand --bootstrap-server "$(addresses 0)" --create --if-not-exists \
    --topic "${1:?a name}" --partitions "${2:?a number of partitions}"
}

# --- the command line

[ $# -gt 0 ] || {
  usage
  exit 64
}
command=$1
shift
words=() port="" nodes="" secure="" advertise="" keep="" only="" asked_port="" asked_nodes=1 asked_secure="" asked_advertise=""
while [ $# -gt 0 ]; do
  case $1 in
    --dir | --port | --nodes | --node | --advertise) [ $# -gt 1 ] || fail "$1 needs a value" ;;
  esac
  case $1 in
    --dir) folder=$2 && shift ;;
    --port) asked_port=$2 && shift ;;
    --nodes) asked_nodes=$2 && shift ;;
    --node) only=$2 && shift ;;
    --advertise) asked_advertise=$2 && shift ;;
    --secure) asked_secure=1 ;;
    --keep) keep=1 ;;
    -*) fail "there is no option $1" ;;
    *) words+=("$1") ;;
  esac
  shift
done

folder=$(realpath -m "$folder")
jvm_options=(-XX:-UsePerfData "-Djava.io.tmpdir=$folder/tmp" "-Dlog4j2.configurationFile=$folder/log4j2.properties" -cp "$jars/*")
if [ -f "$folder/state" ]; then
  read -r port nodes secure advertise <"$folder/state"
  secure=${secure#0} advertise=${advertise#0}
fi

begin() {
  if [ -z "$port" ]; then
    [ -z "$(ls -A "$folder" 2>/dev/null)" ] || fail "$folder holds something else: choose another --dir"
    port=${asked_port:-19092} nodes=$asked_nodes secure=$asked_secure advertise=$asked_advertise
    [ "$port" != 0 ] || port=$(free_port)
  fi
  [ "${asked_port:-0}" = 0 ] || [ "$asked_port" = "$port" ] || fail "$folder holds a cluster on port $port: stop it first"
  start
}

case $command in
  fetch) fetch && echo "$jars" ;;
  start) begin ;;
  topic) [ -n "$port" ] || fail "nothing was started in $folder" && create_topic "${words[@]}" ;;
  kill) [ -n "$port" ] || fail "nothing was started in $folder" && end_with KILL ;;
  stop)
    [ -n "$port" ] || exit 0
    end_with TERM
    [ -n "$keep" ] || rm -rf "$folder"
    ;;
  borrow) borrow ;;
  give-back) give_back ;;
  drain) drain ;;
  help | --help) usage ;;
  *) fail "there is no command $command: fetch, start, topic, kill, stop, borrow, give-back or drain" ;;
esac
