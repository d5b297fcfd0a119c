from typing import Any

import numpy as np
import numpy.typing as npt

def kernel_sets() -> list[str]: ...
def feature_units(name: str) -> int: ...

class Net:
    @staticmethod
    def from_payload(payload: bytes) -> Net: ...
    @staticmethod
    def from_params(
        features: str,
        w1: npt.NDArray[np.float32],
        b1: npt.NDArray[np.float32],
        w2: npt.NDArray[np.float32],
        b2: npt.NDArray[np.float32],
        w3: npt.NDArray[np.float32],
        b3: npt.NDArray[np.float32],
        provenance: str = "",
    ) -> Net: ...
    def params(self) -> dict[str, npt.NDArray[np.float32]]: ...
    def payload(self) -> bytes: ...
    @property
    def info(self) -> dict[str, Any]: ...
