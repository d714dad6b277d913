//! Speaks MCP and holds no opinion.
