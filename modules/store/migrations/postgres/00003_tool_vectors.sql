-- +goose Up
CREATE TABLE tool_vectors ( -- the embeddings of tools, by what they were made of
    model     text NOT NULL,
    dimension integer NOT NULL,
    hash      bytea NOT NULL, -- SHA-256
    numbers   bytea NOT NULL, -- little-endian, of 32 bits each
    used_on   integer NOT NULL, -- days since 1970
    PRIMARY KEY (model, dimension, hash)
);

-- +goose Down
DROP TABLE tool_vectors;
