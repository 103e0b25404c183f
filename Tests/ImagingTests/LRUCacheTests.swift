import Testing

@testable import Imaging

struct LRUCacheTests {
    /// The keys that are asked for, and those of them that have to be made.
    static let cases: [(keys: [Int], made: [Int])] = [
        ([1, 1, 1], [1]),
        ([1, 2, 3, 1, 2, 3], [1, 2, 3]),
        ([1, 2, 3, 1, 4, 1, 2], [1, 2, 3, 4, 2]),  // of three, the one that was not asked for the longest goes
        ([1, 2, 10, 1], [1, 2, 10, 1]),  // as many as the bytes allow
        ([20, 20, 1, 20], [20, 1, 20]),  // the last one, however large
    ]

    @Test("What was asked for last is kept, within its bounds", arguments: cases)
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
