-- +goose Up
CREATE TABLE tool_vectors ( -- the embeddings of tools, by what they were made of
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    hash      BLOB NOT NULL, -- SHA-256
    numbers   BLOB NOT NULL, -- little-endian, of 32 bits each
    used_on   INTEGER NOT NULL, -- days since 1970
    PRIMARY KEY (model, dimension, hash)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE tool_vectors;
