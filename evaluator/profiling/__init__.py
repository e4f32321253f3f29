"""`profile` mode: tools that look at a kernel after it was timed, each in a sandboxed process of its own."""
