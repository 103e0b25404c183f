import Testing

@testable import Imaging

struct LRUCacheTests {
    /// The requested keys, and those of them whose values have to be created.
    static let cases: [(keys: [Int], made: [Int])] = [
        ([1, 1, 1], [1]),
        ([1, 2, 3, 1, 2, 3], [1, 2, 3]),
        ([1, 2, 3, 1, 4, 1, 2], [1, 2, 3, 4, 2]),  // of three, the least recently used one is removed
        ([1, 2, 10, 1], [1, 2, 10, 1]),  // as many as the limit of bytes allows
        ([20, 20, 1, 20], [20, 1, 20]),  // the last one stays, however large it is
    ]

    @Test("The most recently requested values are kept, within the bounds", arguments: cases)
    func keeps(keys: [Int], made: [Int]) {
        let recent = LRUCache<Int, String>(maxCount: 3, maxBytes: 10)
        var calls: [Int] = []
        for key in keys {
            let value = recent.value(of: key, byteCount: { _ in key }) {
                calls.append(key)
                return "\(key)"
            }
            #expect(value == "\(key)")
        }
        #expect(calls == made)
    }
}
