"""Backends: the engine behind programs of others. Each module starts with a guide for clients."""
