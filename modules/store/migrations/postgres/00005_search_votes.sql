-- +goose Up
CREATE TABLE search_votes ( -- which tools were called after which words of a search
    stem      text NOT NULL, -- of the word
    server    text NOT NULL, -- its name
    tool      text NOT NULL, -- as its server calls it
    principal text NOT NULL, -- who called it: a hash
    weight    double precision NOT NULL,
    at        bigint NOT NULL, -- when the weight was that, in seconds since 1970
    PRIMARY KEY (stem, server, tool, principal)
);

-- +goose Down
DROP TABLE search_votes;
