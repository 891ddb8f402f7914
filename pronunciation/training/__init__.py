"""How the hearing's acoustic model is built: data, synthetic voices, training, export.

It needs packages that the product does not (PyTorch, ONNX) and is not part of the wheel; see
``docs/hearing.md``.
"""
