//! Memory that the next frame uses again.

/// So much is mapped and freed once, in bytes; up to twice as much then stays with the program.
const KEPT: usize = 8 << 20;

/// Makes the allocator keep the memory that a frame frees. The triangles of many curves are some megabytes; glibc gives free memory at
/// the end of the heap back to the system as soon as it is twice as large as the largest block that was mapped and freed,
/// 128 KB at first (`mallopt(3)`), and every page of it costs a fault in the next frame. Nothing is written to this block,
/// so it costs nothing itself; elsewhere it has no effect.
pub fn keep_freed() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT)));
}
