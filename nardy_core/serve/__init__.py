"""Backends: the engine behind programs of others. The modules say what can be asked for;
nardy_core/docs/plug-into-your-gui.md has a client for each."""
