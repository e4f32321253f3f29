"""Where an evaluation runs: this host (`local`). Same request, same events, same outcome everywhere."""
