import os

KIND_NET: int

def write(
    path: str | os.PathLike[str], kind: int, layout: int, payload: bytes, provenance: str = ""
) -> None: ...
def read(path: str | os.PathLike[str], kind: int, layout: int) -> tuple[bytes, str]: ...
