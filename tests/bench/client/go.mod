module postern.local/bench/client

go 1.22
