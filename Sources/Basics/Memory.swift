import CSystem

/// Keeps the allocator from giving each thread a heap of its own: with a thousand threads that do little, what one frees
/// the others could not use.
public func limitHeaps(to count: Int) { bs_limit_arenas(Int32(count)) }

/// Gives memory that is not used back to the system: after a piece of work that needed much.
public func returnUnusedMemory() { bs_trim_memory() }
