//! Names that pickles of weights may have, and what the parser makes of them.

/// What a name in a pickle is to the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A function that makes a tensor which the parser reads.
    Tensor,
    /// A class whose objects keep what they are made of.
    Container,
    /// A type of numbers that the parser does not know: complex, quantized, float8.
    Unknown,
    /// Everything else, which stays closed.
    Other,
}

/// What a name is; none for one that a pickle of weights, and of what usually comes with them, does not need.
pub fn named(module: &str, name: &str) -> Option<Named> {
    match module {
        "torch._utils"
            if name.strip_prefix("_rebuild_").is_some_and(|kind| {
                ["tensor", "tensor_v2", "tensor_v3", "parameter", "parameter_with_state"].contains(&kind)
            }) =>
        {
            Some(Named::Tensor)
        }
        "torch._tensor" if name == "_rebuild_from_type_v2" => Some(Named::Tensor),
        "collections" if name == "OrderedDict" => Some(Named::Container),
        "builtins" | "__builtin__" if ["set", "frozenset"].contains(&name) => Some(Named::Container),
        "torch" if is_unknown(name) => Some(Named::Unknown),
        _ => is_other(module, name).then_some(Named::Other),
    }
}

/// Whether this is one of PyTorch's types of numbers, or of their storages, that the parser does not know.
fn is_unknown(name: &str) -> bool {
    const STORAGES: [&str; 10] =
        ["Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool"];
    const OTHERS: [&str; 7] = ["complex", "quint", "qint", "float8", "float4", "int1", "bits"];
    let storage = name.strip_suffix("Storage").filter(|kind| *kind != "Untyped");
    storage.is_some_and(|kind| !STORAGES.contains(&kind))
        || name != "int16" && OTHERS.iter().any(|start| name.starts_with(start))
}

/// Whether a pickle of weights, and of what usually comes with them, may name this too.
fn is_other(module: &str, name: &str) -> bool {
    match module {
        "torch" => {
            const TYPES: [&str; 20] = [
                "Size",
                "device",
                "Tensor",
                "float16",
                "float32",
                "float64",
                "bfloat16",
                "int8",
                "int16",
                "int32",
                "int64",
                "uint8",
                "uint16",
                "uint32",
                "uint64",
                "bool",
                "strided",
                "per_tensor_affine",
                "per_channel_affine",
                "per_channel_affine_float_qparams",
            ];
            name.ends_with("Storage") || TYPES.contains(&name)
        }
        "torch.cuda" | "torch.storage" => name.ends_with("Storage"),
        "torch._utils" => name.starts_with("_rebuild_"),
        "torch.serialization" => name == "_get_layout",
        "torch.torch_version" => name == "TorchVersion",
        "collections" => ["defaultdict", "Counter"].contains(&name),
        "builtins" | "__builtin__" => {
            const TYPES: [&str; 12] = [
                "list",
                "dict",
                "tuple",
                "int",
                "long",
                "float",
                "bool",
                "str",
                "bytes",
                "bytearray",
                "complex",
                "object",
            ];
            TYPES.contains(&name)
        }
        "_codecs" => name == "encode",
        "copyreg" | "copy_reg" => name == "_reconstructor",
        "argparse" => name == "Namespace",
        "datetime" => ["datetime", "date", "time", "timedelta", "timezone"].contains(&name),
        "pathlib" | "pathlib._local" => name.ends_with("Path"),
        "numpy" => ["dtype", "ndarray", "float32", "float64", "int64"].contains(&name),
        "numpy.dtypes" => name.ends_with("DType"),
        "numpy.core.multiarray" | "numpy._core.multiarray" => ["scalar", "_reconstruct"].contains(&name),
        _ => false,
    }
}
