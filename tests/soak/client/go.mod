module postern.local/soak/client

go 1.22
