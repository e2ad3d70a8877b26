//! A dry run of a pickle, before the parser sees it: nothing is built, only counted.
//!
//! The parser executes nothing. This keeps it from allocating much for little: a pickle can fetch a long text from its memo
//! again and again, two bytes each. And it refuses what weights do not need: names outside of a short list (PyTorch's
//! `weights_only` has about the same), and opcodes that the parser does not know, with their place.
//!
//! It also finds tensors that the parser refuses whole files for: sparse, complex, quantized, float8. [`Patch`]es turn the
//! calls that make them into plain tuples, so that the tensors beside them are read.

use std::collections::BTreeMap;

use super::{AGAIN, Refusal, STATE_DICT};

/// Most bytes that a pickle may make the parser allocate. A tensor of a checkpoint takes about 10 kB.
const MOST: u64 = 512 << 20;
/// Bytes of an object and of its place in a container, rounded up.
const OBJECT: u64 = 128;

/// The opcodes that make a tuple of one object and of two. They take as many from the stack as a reference to a storage
/// and a call do.
const TUPLES: [u8; 2] = [0x85, 0x86];

/// A place in the pickle, and the byte to put there.
pub type Patch = (usize, u8);

/// An object on the stack or in the memo.
#[derive(Clone, Copy, Default)]
struct Slot {
    cost: u64,
    text: Option<(usize, usize)>,
    start: usize,
    named: Option<Named>,
    /// True if a storage or a tensor is in it.
    has_tensor: bool,
    /// True if a type of numbers is in it that the parser does not know.
    has_unknown: bool,
}

impl Slot {
    /// Returns the same, with this in it.
    fn with(self, other: Self) -> Self {
        let (has_tensor, has_unknown) =
            (self.has_tensor || other.has_tensor, self.has_unknown || other.has_unknown);
        let start = self.start.min(other.start);
        Self { cost: self.cost + other.cost, text: None, start, named: None, has_tensor, has_unknown }
    }
}

#[derive(Default)]
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    op: usize,
    stack: Vec<Slot>,
    /// Number of objects below each mark, and its byte.
    marks: Vec<(usize, usize)>,
    memo: BTreeMap<u32, Slot>,
    texts: Vec<(usize, usize)>,
    total: u64,
    /// The calls that make tensors which the parser reads.
    calls: Vec<usize>,
    patches: Vec<Patch>,
    has_unknown_storage: bool,
}

/// A pickle that may be read.
pub struct Scanned {
    /// The byte after it.
    pub end: usize,
    /// Its texts in their order: from this byte to that one.
    pub texts: Vec<(usize, usize)>,
    /// Patches that keep the parser from refusing the pickle for tensors that it does not read.
    pub patches: Vec<Patch>,
    /// True if the patches take references to storages away.
    pub hides_storages: bool,
}

/// Looks through the pickle that begins at this byte.
///
/// # Errors
/// What is wrong with it, at which of the bytes, and the remedy.
pub fn scan(bytes: &[u8], start: usize) -> Result<Scanned, Refusal> {
    let mut scan = Scan { bytes, at: start, ..Scan::default() };
    loop {
        let at = scan.at;
        scan.op = at;
        match scan.step() {
            Ok(true) => {}
            Ok(false) => {
                let Scan { at: end, texts, patches, has_unknown_storage: hides_storages, .. } = scan;
                return Ok(Scanned { end, texts, patches, hides_storages });
            }
            Err((problem, remedy)) => return Err((format!("its pickle, byte {at}: {problem}"), remedy)),
        }
    }
}

/// Refuses what no program writes: the file was changed, or is not whole.
fn damaged(what: &str) -> Refusal {
    (what.to_owned(), AGAIN)
}

/// Refuses what weights do not need.
const fn foreign(what: String) -> Refusal {
    (what, STATE_DICT)
}

impl Scan<'_> {
    /// Takes the next opcode; returns true if there are more.
    fn step(&mut self) -> Result<bool, Refusal> {
        let op = self.take(1)?[0];
        match op {
            b'.' => return Ok(false),
            0x80 => drop(self.take(1)?),
            0x95 => drop(self.take(8)?),
            b'N' | 0x88 | 0x89 | b')' | b']' | b'}' | 0x8f => self.push(OBJECT, None)?,
            b'K' => self.number(1)?,
            b'M' => self.number(2)?,
            b'J' => self.number(4)?,
            b'G' => self.number(8)?,
            b'I' | b'L' | b'F' | b'V' => {
                let text = self.line()?;
                self.text(text)?;
            }
            0x8a | b'U' | 0x8c | b'C' => self.counted(1)?,
            0x8b | b'T' | b'X' | b'B' => self.counted(4)?,
            0x8d | 0x8e | 0x96 => self.counted(8)?,
            b'(' => self.marks.push((self.stack.len(), self.op)),
            b't' | b'l' | b'd' | 0x91 => {
                let made = self.pop_to_mark()?;
                self.push_made(made)?;
            }
            0x85..=0x87 => {
                let made = self.pop_many(op - 0x84)?;
                self.push_made(made)?;
            }
            b'a' | b's' => {
                let added = self.pop_many(if op == b'a' { 1 } else { 2 })?;
                self.extend(added)?;
            }
            b'e' | b'u' | 0x90 => {
                let added = self.pop_to_mark()?;
                self.extend(added)?;
            }
            b'0' if self.is_marked() => drop(self.marks.pop()),
            b'0' => drop(self.pop()?),
            b'1' => drop(self.pop_to_mark()?),
            b'2' => {
                let top = *self.top()?;
                self.push_slot(top)?;
            }
            b'g' | b'h' | b'j' => {
                let index = self.index(op)?;
                let slot =
                    *self.memo.get(&index).ok_or_else(|| damaged("it fetches what it has not kept"))?;
                self.push_slot(Slot { start: self.op, ..slot })?;
            }
            b'p' | b'q' | b'r' => {
                let index = self.index(op)?;
                self.keep(index)?;
            }
            0x94 => self.keep(u32::try_from(self.memo.len()).unwrap_or(u32::MAX))?,
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.global(module, name)?;
            }
            0x93 => {
                let (name, module) = (self.pop()?.text, self.pop()?.text);
                let (Some(module), Some(name)) = (module, name) else {
                    return Err(damaged("it names something without a text"));
                };
                self.global(module, name)?;
            }
            b'P' => {
                let (start, end) = self.line()?;
                self.push(OBJECT + (end - start) as u64, None)?;
            }
            b'Q' => {
                let id = self.pop()?;
                if id.has_unknown {
                    self.patches.push((self.op, TUPLES[0]));
                    self.has_unknown_storage = true;
                }
                self.push_made(Slot { has_tensor: !id.has_unknown, ..id })?;
            }
            b'R' => {
                let (arguments, called) = (self.pop()?, self.pop()?);
                let made = self.call(called, arguments);
                self.push_slot(made)?;
            }
            // An object of a class, its state: they keep at most what they are made of.
            0x81 | b'b' => {
                let made = self.pop()?.with(self.pop()?);
                self.push_slot(made)?;
            }
            0x92 => {
                let made = self.pop()?.with(self.pop()?).with(self.pop()?);
                self.push_slot(made)?;
            }
            other => return Err(foreign(format!("opcode 0x{other:02x} has no place among weights"))),
        }
        Ok(true)
    }

    /// Returns a call: what it makes. Calls that the parser would refuse become tuples, and those of tensors in their
    /// arguments.
    fn call(&mut self, called: Slot, arguments: Slot) -> Slot {
        let made = called.with(arguments);
        let is_read = match called.named {
            Some(Named::Tensor) => !arguments.has_unknown,
            Some(Named::Container) => true,
            Some(Named::Unknown | Named::Other) | None => !arguments.has_tensor,
        };
        if is_read {
            let is_tensor = called.named == Some(Named::Tensor);
            self.calls.extend(is_tensor.then_some(self.op));
            return Slot { has_tensor: made.has_tensor || is_tensor, ..made };
        }
        let inside = self.calls.partition_point(|call| *call < arguments.start);
        let calls = self.calls.drain(inside..);
        self.patches.extend(calls.chain([self.op]).map(|at| (at, TUPLES[1])));
        Slot { has_unknown: false, ..made }
    }

    fn global(&mut self, module: (usize, usize), name: (usize, usize)) -> Result<(), Refusal> {
        let text = |(start, end): (usize, usize)| String::from_utf8_lossy(&self.bytes[start..end]);
        let (module, name) = (text(module), text(name));
        let Some(named) = named(&module, &name) else {
            let short = |text: &str| text.chars().take(60).collect::<String>().escape_debug().to_string();
            let (module, name) = (short(&module), short(&name));
            let what = format!("it names {module}.{name}, which weights do not need; nothing was executed");
            return Err(foreign(what));
        };
        let (cost, has_unknown) = (OBJECT + (module.len() + name.len()) as u64, named == Named::Unknown);
        self.push_slot(Slot { cost, start: self.op, named: Some(named), has_unknown, ..Slot::default() })
    }

    fn take(&mut self, count: usize) -> Result<&[u8], Refusal> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| damaged("it ends in the middle"))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn unsigned(&mut self, size: usize) -> Result<u64, Refusal> {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(self.take(size)?);
        Ok(u64::from_le_bytes(bytes))
    }

    fn number(&mut self, size: usize) -> Result<(), Refusal> {
        self.take(size)?;
        self.push(OBJECT, None)
    }

    /// Takes a text or bytes behind their length, which has this many bytes.
    fn counted(&mut self, size: usize) -> Result<(), Refusal> {
        let length = self.unsigned(size)?;
        let start = self.at;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        self.text((start, self.at))
    }

    fn text(&mut self, text: (usize, usize)) -> Result<(), Refusal> {
        self.push(OBJECT + (text.1 - text.0) as u64, Some(text))?;
        self.texts.push(text);
        Ok(())
    }

    /// Takes the text up to the end of the line.
    fn line(&mut self) -> Result<(usize, usize), Refusal> {
        let start = self.at;
        let end = self.bytes[start..].iter().position(|&byte| byte == b'\n');
        let end = end.ok_or_else(|| damaged("it ends in a line"))?;
        self.at = start + end + 1;
        let text = &self.bytes[start..start + end];
        Ok((start, start + text.strip_suffix(b"\r").unwrap_or(text).len()))
    }

    /// Reads a place in the memo.
    fn index(&mut self, op: u8) -> Result<u32, Refusal> {
        match op {
            b'g' | b'p' => {
                let (start, end) = self.line()?;
                let text = std::str::from_utf8(&self.bytes[start..end]).unwrap_or_default();
                text.parse().map_err(|_| damaged("a place in its memo is no number"))
            }
            b'h' | b'q' => Ok(self.unsigned(1)? as u32),
            _ => Ok(self.unsigned(4)? as u32),
        }
    }

    fn charge(&mut self, cost: u64) -> Result<(), Refusal> {
        self.total = self.total.saturating_add(cost);
        if self.total > MOST {
            return Err(foreign(format!("it asks for more than {} MiB, beside the tensors", MOST >> 20)));
        }
        Ok(())
    }

    fn push(&mut self, cost: u64, text: Option<(usize, usize)>) -> Result<(), Refusal> {
        self.push_slot(Slot { cost, text, start: self.op, ..Slot::default() })
    }

    fn push_slot(&mut self, slot: Slot) -> Result<(), Refusal> {
        self.charge(slot.cost)?;
        self.stack.push(slot);
        Ok(())
    }

    /// Puts what was made of objects that have been paid for.
    fn push_made(&mut self, made: Slot) -> Result<(), Refusal> {
        self.charge(OBJECT)?;
        self.stack.push(Slot { cost: made.cost + OBJECT, ..made });
        Ok(())
    }

    fn is_marked(&self) -> bool {
        self.marks.last().is_some_and(|(below, _)| *below == self.stack.len())
    }

    fn pop(&mut self) -> Result<Slot, Refusal> {
        let top = *self.top()?;
        self.stack.pop();
        Ok(top)
    }

    fn top(&mut self) -> Result<&mut Slot, Refusal> {
        if self.is_marked() {
            return Err(damaged("its stack has a mark where an object should be"));
        }
        self.stack.last_mut().ok_or_else(|| damaged("its stack is empty"))
    }

    /// Takes everything above the last mark, as one.
    fn pop_to_mark(&mut self) -> Result<Slot, Refusal> {
        let (mark, start) = self.marks.pop().ok_or_else(|| damaged("it has no mark"))?;
        Ok(self.stack.drain(mark..).fold(Slot { start, ..Slot::default() }, Slot::with))
    }

    fn pop_many(&mut self, count: u8) -> Result<Slot, Refusal> {
        let mut all = Slot { start: self.op, ..Slot::default() };
        for _ in 0..count {
            all = all.with(self.pop()?);
        }
        Ok(all)
    }

    fn extend(&mut self, added: Slot) -> Result<(), Refusal> {
        let top = self.top()?;
        *top = Slot { start: top.start, ..top.with(added) };
        Ok(())
    }

    fn keep(&mut self, index: u32) -> Result<(), Refusal> {
        let top = *self.top()?;
        self.charge(top.cost)?;
        self.memo.insert(index, top);
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// A function that makes a tensor which the parser reads.
    Tensor,
    /// A class whose objects keep what they are made of.
    Container,
    /// A type of numbers that the parser does not know: complex, quantized, float8.
    Unknown,
    /// Everything else, which stays closed.
    Other,
}

/// Returns what a name is; none for one that a pickle of weights, and of what usually comes with them, does not need.
fn named(module: &str, name: &str) -> Option<Named> {
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

/// Returns true if this is one of PyTorch's types of numbers, or of their storages, that the parser does not know.
fn is_unknown(name: &str) -> bool {
    const STORAGES: [&str; 10] =
        ["Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool"];
    const OTHERS: [&str; 7] = ["complex", "quint", "qint", "float8", "float4", "int1", "bits"];
    let storage = name.strip_suffix("Storage").filter(|kind| *kind != "Untyped");
    storage.is_some_and(|kind| !STORAGES.contains(&kind))
        || name != "int16" && OTHERS.iter().any(|start| name.starts_with(start))
}

/// Returns true if a pickle of weights, and of what usually comes with them, may name this too.
fn is_other(module: &str, name: &str) -> bool {
    let is_one = |names: &str| names.split(' ').any(|known| known == name);
    match module {
        "torch" => {
            name.ends_with("Storage")
                || is_one(
                    "Size device Tensor float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32",
                )
                || is_one(
                    "uint64 bool strided per_tensor_affine per_channel_affine per_channel_affine_float_qparams",
                )
        }
        "torch.cuda" | "torch.storage" => name.ends_with("Storage"),
        "torch._utils" => name.starts_with("_rebuild_"),
        "torch.serialization" => name == "_get_layout",
        "torch.torch_version" => name == "TorchVersion",
        "collections" => is_one("defaultdict Counter"),
        "builtins" | "__builtin__" => {
            is_one("list dict tuple int long float bool str bytes bytearray complex object")
        }
        "_codecs" => name == "encode",
        "copyreg" | "copy_reg" => name == "_reconstructor",
        "argparse" => name == "Namespace",
        "datetime" => is_one("datetime date time timedelta timezone"),
        "pathlib" | "pathlib._local" => name.ends_with("Path"),
        "numpy" => is_one("dtype ndarray float32 float64 int64"),
        "numpy.dtypes" => name.ends_with("DType"),
        "numpy.core.multiarray" | "numpy._core.multiarray" => is_one("scalar _reconstruct"),
        _ => false,
    }
}
