"""How the hearing's acoustic model is made: data, synthetic voices, training, export.

Needs packages that the product does not (PyTorch, ONNX): see ``docs/hearing.md``.
"""
