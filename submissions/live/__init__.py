"""Events reach the browser: one listener per web process wakes sockets, server-sent events and waiting requests; rows are the stream."""
