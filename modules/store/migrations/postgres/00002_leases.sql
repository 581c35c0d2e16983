-- +goose Up
CREATE TABLE server_leases ( -- who runs a server, or did not give it up in order
    server_id uuid PRIMARY KEY,
    owner     text NOT NULL, -- a replica, from its start to its end
    taken_at  timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE server_leases;
