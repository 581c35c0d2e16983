-- +goose Up
CREATE TABLE profiles ( -- named views of the tools
    name        text NOT NULL CONSTRAINT profiles_name_key PRIMARY KEY,
    description text NOT NULL,
    servers     text NOT NULL, -- this and the patterns: JSON, an array of texts
    allow       text NOT NULL,
    deny        text NOT NULL,
    pin         text NOT NULL,
    mode        text NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);

-- +goose Down
DROP TABLE profiles;
