-- +goose Up
CREATE TABLE external_servers (
    registration      INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of registration
    id                TEXT NOT NULL UNIQUE,
    name              TEXT NOT NULL UNIQUE,
    description       TEXT NOT NULL,
    transport_type    TEXT NOT NULL,
    connection_config TEXT NOT NULL, -- JSON
    auto_connect      INTEGER NOT NULL,
    wanted            INTEGER NOT NULL, -- the desired state
    health_check_url  TEXT NOT NULL,
    status            TEXT NOT NULL,
    last_health_check TEXT, -- times: 2006-01-02T15:04:05.000000Z, NULL for never
    tool_count        INTEGER NOT NULL,
    error_message     TEXT NOT NULL,
    registered_at     TEXT NOT NULL,
    connected_at      TEXT,
    updated_at        TEXT NOT NULL
) STRICT;

CREATE TABLE tools (
    source_server_id TEXT NOT NULL REFERENCES external_servers (id) ON DELETE CASCADE,
    position         INTEGER NOT NULL, -- in the server's own list
    original_name    TEXT NOT NULL,
    namespaced_name  TEXT NOT NULL,
    description      TEXT NOT NULL,
    input_schema     BLOB, -- the bytes of JSON, NULL for none
    raw_definition   BLOB NOT NULL, -- the bytes of JSON
    is_external      INTEGER NOT NULL,
    is_classified    INTEGER NOT NULL,
    PRIMARY KEY (source_server_id, position)
) STRICT;

CREATE TABLE server_connection_history (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    server_id TEXT NOT NULL REFERENCES external_servers (id) ON DELETE CASCADE,
    event     TEXT NOT NULL,
    details   TEXT NOT NULL,
    at        TEXT NOT NULL
) STRICT;

CREATE INDEX server_connection_history_of_server ON server_connection_history (server_id, id);

-- +goose Down
DROP TABLE server_connection_history;
DROP TABLE tools;
DROP TABLE external_servers;
