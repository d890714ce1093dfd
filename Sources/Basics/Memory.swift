import CSystem

/// Keeps the allocator from giving each thread a heap of its own: with a thousand threads that do little, what one frees
/// the others could not use.
public func limitHeaps(to count: Int) { bs_limit_arenas(Int32(count)) }

/// Gives memory that is not used back to the system: after a piece of work that needed much.
public func returnUnusedMemory() { bs_trim_memory() }

/// Has the allocator give blocks of a megabyte and more back to the system as soon as they are freed. Left to itself it keeps what
/// is no larger than the largest that was ever freed: of a million products' columns that is a hundred megabytes.
public func returnLargeBlocks() { bs_return_blocks(1 << 20) }
