-- +goose Up
CREATE TABLE external_servers (
    registration      bigint GENERATED ALWAYS AS IDENTITY UNIQUE, -- the order of registration
    id                uuid PRIMARY KEY,
    name              text NOT NULL CONSTRAINT external_servers_name_key UNIQUE,
    description       text NOT NULL,
    transport_type    text NOT NULL,
    connection_config text NOT NULL, -- JSON
    auto_connect      boolean NOT NULL,
    wanted            boolean NOT NULL, -- the desired state
    health_check_url  text NOT NULL,
    status            text NOT NULL,
    last_health_check timestamptz, -- NULL for never
    tool_count        integer NOT NULL,
    error_message     text NOT NULL,
    registered_at     timestamptz NOT NULL,
    connected_at      timestamptz,
    updated_at        timestamptz NOT NULL
);

CREATE TABLE tools (
    source_server_id uuid NOT NULL REFERENCES external_servers (id) ON DELETE CASCADE,
    position         integer NOT NULL, -- in the server's own list
    original_name    text NOT NULL,
    namespaced_name  text NOT NULL,
    description      text NOT NULL,
    input_schema     bytea, -- the bytes of JSON, NULL for none
    raw_definition   bytea NOT NULL, -- the bytes of JSON
    is_external      boolean NOT NULL,
    is_classified    boolean NOT NULL,
    PRIMARY KEY (source_server_id, position)
);

CREATE TABLE server_connection_history (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    server_id uuid NOT NULL REFERENCES external_servers (id) ON DELETE CASCADE,
    event     text NOT NULL,
    details   text NOT NULL,
    at        timestamptz NOT NULL
);

CREATE INDEX server_connection_history_of_server ON server_connection_history (server_id, id);

-- +goose Down
DROP TABLE server_connection_history;
DROP TABLE tools;
DROP TABLE external_servers;
