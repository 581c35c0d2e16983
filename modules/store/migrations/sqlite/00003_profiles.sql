-- +goose Up
CREATE TABLE profiles ( -- named views of the tools
    name        TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    servers     TEXT NOT NULL, -- this and the patterns: JSON, an array of texts
    allow       TEXT NOT NULL,
    deny        TEXT NOT NULL,
    pin         TEXT NOT NULL,
    mode        TEXT NOT NULL,
    created_at  TEXT NOT NULL, -- times: 2006-01-02T15:04:05.000000Z
    updated_at  TEXT NOT NULL
) STRICT;

-- +goose Down
DROP TABLE profiles;
