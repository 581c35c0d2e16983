-- +goose Up
CREATE TABLE search_votes ( -- which tools were called after which words of a search
    stem      TEXT NOT NULL, -- of the word
    server    TEXT NOT NULL, -- its name
    tool      TEXT NOT NULL, -- as its server calls it
    principal TEXT NOT NULL, -- who called it: a hash
    weight    REAL NOT NULL,
    at        INTEGER NOT NULL, -- when the weight was that, in seconds since 1970
    PRIMARY KEY (stem, server, tool, principal)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE search_votes;
