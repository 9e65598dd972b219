# Servers of ClickHouse for tests and for the bench, to be sourced: each in a folder of its own, on
# loopback, on ports that were free, stopped by its process id.
#
#   clickhouse_is_there           whether Debian's packages are installed
#   clickhouse_begin FOLDER N     N servers below FOLDER, all in the cluster `pair` (one shard each)
#   clickhouse_end                stops them
#   sql I SQL                     runs SQL on server I (0..N-1), as text in columns
#
# http[I] and tcp[I] are ports, server[I] process ids. Users: `default` may do all, `reader` may only
# read (readonly=2), `frozen` may not even set anything (readonly=1), `secret` has the password
# below, `narrow` sees no database but `other`, and the profile of `sly` counts ten groups and leaves
# out shards that are down.

clickhouse_password="pa'ss &word%41"
server=() http=() tcp=() between=()

clickhouse_is_there() {
    clickhouse_server=$(PATH=$PATH:/usr/sbin type -P clickhouse-server) &&
        type -P clickhouse-client curl setpriv >/dev/null && id clickhouse >/dev/null 2>&1
}

# A port that nobody listens on.
free_port() { # least, most
    local port
    for ((;;)); do
        port=$(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1 + 1)))
        [[ " ${http[*]} ${tcp[*]} ${between[*]} " == *" $port "* ]] && continue
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

clickhouse_users() {
    cat <<END
<yandex><profiles>
<default><log_queries>1</log_queries><max_memory_usage>16000000000</max_memory_usage>
$1</default>
<reader><readonly>2</readonly><log_queries>1</log_queries></reader>
<frozen><readonly>1</readonly></frozen>
<sly><max_block_size>100</max_block_size><max_rows_to_group_by>10</max_rows_to_group_by><group_by_overflow_mode>any</group_by_overflow_mode>
<skip_unavailable_shards>1</skip_unavailable_shards></sly>
</profiles><quotas><default></default></quotas><users>
<default><password></password><profile>default</profile><quota>default</quota>
<networks><ip>127.0.0.1</ip></networks></default>
<reader><password></password><profile>reader</profile><quota>default</quota>
<networks><ip>127.0.0.1</ip></networks></reader>
<frozen><password></password><profile>frozen</profile><quota>default</quota>
<networks><ip>127.0.0.1</ip></networks></frozen>
<sly><password></password><profile>sly</profile><quota>default</quota>
<networks><ip>127.0.0.1</ip></networks></sly>
<secret><password>$(sed 's/&/\&amp;/g' <<<"$clickhouse_password")</password>
<profile>default</profile><quota>default</quota><networks><ip>127.0.0.1</ip></networks></secret>
<narrow><password></password><profile>default</profile><quota>default</quota>
<networks><ip>127.0.0.1</ip></networks>
<allow_databases><database>other</database></allow_databases></narrow>
</users></yandex>
END
}

clickhouse_config() { # number
    local i=$1 folder=$clickhouse_folder/$1 shard
    cat <<END
<yandex>
<logger><level>warning</level><log>$folder/log</log><errorlog>$folder/errors</errorlog></logger>
<http_port>${http[i]}</http_port><tcp_port>${tcp[i]}</tcp_port>
<interserver_http_port>${between[i]}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host>
<listen_host>127.0.0.1</listen_host>
<path>$folder/data/</path><tmp_path>$folder/tmp/</tmp_path>
<format_schema_path>$folder/schemas/</format_schema_path>
<users_config>$folder/users.xml</users_config>
<mark_cache_size>268435456</mark_cache_size><default_profile>default</default_profile>
<default_database>default</default_database><max_concurrent_queries>50</max_concurrent_queries>
<timezone>${clickhouse_timezone:-Asia/Kolkata}</timezone>
<query_log><database>system</database><table>query_log</table>
<flush_interval_milliseconds>500</flush_interval_milliseconds></query_log>
<remote_servers><pair>
END
    for shard in "${!http[@]}"; do
        echo "<shard><internal_replication>true</internal_replication><replica>" \
            "<host>127.0.0.1</host><port>${tcp[shard]}</port></replica></shard>"
    done
    echo "</pair><twins><shard>"
    for shard in "${!http[@]}"; do
        echo "<replica><host>127.0.0.1</host><port>${tcp[shard]}</port></replica>"
    done
    echo "</shard></twins></remote_servers></yandex>"
}

# Starts server I, or starts it again. 18.16 now and then ends by itself while it starts ("invalid
# chunk size" of its own memory), so that it gets several tries.
clickhouse_start() {
    local i=$1 folder=$clickhouse_folder/$1 attempt t
    for attempt in 1 2 3 4 5; do
        (
            cd "$folder"
            exec setpriv --reuid=clickhouse --regid=clickhouse --clear-groups \
                "$clickhouse_server" --config-file="$folder/config.xml" >"$folder/out" 2>&1
        ) &
        server[i]=$!
        for ((t = 0; t < 600; t++)); do
            curl -sf -o /dev/null --max-time 2 "http://127.0.0.1:${http[i]}/ping" && return
            kill -0 "${server[i]}" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL "${server[i]}" 2>/dev/null || true
        { wait "${server[i]}"; } 2>/dev/null || true
        echo "server $i of ClickHouse did not start (attempt $attempt):" >&2
        tail -n 5 "$folder/out" >&2
    done
    return 1
}

clickhouse_stop() { # number [signal]
    [[ ${server[$1]:-} ]] || return 0
    kill "-${2:-TERM}" "${server[$1]}" 2>/dev/null || true
    for ((t = 0; t < 100; t++)); do
        kill -0 "${server[$1]}" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL "${server[$1]}" 2>/dev/null || true
    { wait "${server[$1]}"; } 2>/dev/null || true
    server[$1]=
}

clickhouse_begin() { # folder, number, settings of the default profile
    clickhouse_folder=$1
    local i
    for ((i = 0; i < $2; i++)); do
        http[i]=$(free_port 10000 12999) tcp[i]=$(free_port 13000 15999)
        between[i]=$(free_port 16000 18999)
    done
    for ((i = 0; i < $2; i++)); do
        mkdir -p "$1/$i/data" "$1/$i/tmp" "$1/$i/schemas"
        clickhouse_config "$i" >"$1/$i/config.xml"
        clickhouse_users "${3:-}" >"$1/$i/users.xml"
        chown -R clickhouse:clickhouse "$1/$i"
        clickhouse_start "$i" || return
    done
}

clickhouse_end() {
    local i
    for i in "${!server[@]}"; do clickhouse_stop "$i"; done
}

sql() { # number, SQL; what comes from standard input is appended
    curl -sS --fail-with-body --data-binary @- "http://127.0.0.1:${http[$1]}/" <<<"$2"
}
