#!/usr/bin/env node
// The command as npm links it: this file is there before the build, the compiled command is not.
import "../dist/cli.js"
