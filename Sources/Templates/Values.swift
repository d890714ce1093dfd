/// The values of one record, by the index of its fields.
///
/// What an array of fixed length is, and copied when it is written to like one. A page has some fifty records that live for as
/// long as it is rendered, and an array looks up its type and takes its elements apart by way of tables each time.
///
/// The conformance is sound as an array's is: nobody writes to storage that somebody else holds.
struct Values: @unchecked Sendable {
    private final class Storage: ManagedBuffer<Int, Value> {
        deinit {
            withUnsafeMutablePointers { count, values in
                // Most values of most records are absent: nothing has to be taken apart to forget them.
                for i in 0..<count.pointee where !values[i].isAbsent { _ = (values + i).move() }
            }
        }
    }

    private var storage: ManagedBuffer<Int, Value>

    /// So many values, all of them absent.
    init(absent count: Int) {
        storage = Storage.create(minimumCapacity: count) { _ in count }
        storage.withUnsafeMutablePointerToElements { values in
            for i in 0..<count { (values + i).initialize(to: .absent) }
        }
    }

    /// The same values as an array has.
    init(_ values: [Value]) {
        self.init(absent: values.count)
        for (i, value) in values.enumerated() { self[i] = value }
    }

    var count: Int { storage.header }
    var indices: Range<Int> { 0..<count }

    /// Where the values are, for as long as they are held and not written to.
    @inline(__always)
    var start: UnsafePointer<Value> { storage.withUnsafeMutablePointerToElements { UnsafePointer($0) } }

    @inline(__always)
    subscript(index: Int) -> Value {
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a record has no such field")
            return start[index]
        }
        set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a record has no such field")
            if !isKnownUniquelyReferenced(&storage) { copy() }
            let place = storage.withUnsafeMutablePointerToElements { $0 + index }
            if place.pointee.isAbsent { place.initialize(to: newValue) } else { place.pointee = newValue }
        }
    }

    @inline(never)
    private mutating func copy() {
        let count = count
        let copy = Storage.create(minimumCapacity: count) { _ in count }
        copy.withUnsafeMutablePointerToElements { to in
            storage.withUnsafeMutablePointerToElements { to.initialize(from: $0, count: count) }
        }
        storage = copy
    }
}
