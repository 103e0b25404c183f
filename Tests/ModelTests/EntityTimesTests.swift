import TestSupport
import Testing
import TreeModel

@testable import Model

@Suite("The times of an entity")
struct EntityTimesTests {
    @Test(
        "A stored value is read as it was written, and another value is refused",
        arguments: [
            ("5", 5, 5), ("5 9", 5, 9), (" 9", nil, 9), ("-5 0", -5, 0), ("", nil, nil), ("x", nil, nil),
            ("5 ", nil, nil),
            ("5 x", nil, nil), ("5 6 7", nil, nil), (true, nil, nil), (5, nil, nil), (["a": 1], nil, nil),
        ] as [(TreeValue, Int64?, Int64?)])
    func stored(value: TreeValue, created: Int64?, updated: Int64?) {
        let times = EntityTimes(value)
        #expect(times?.created?.milliseconds == created && times?.updated?.milliseconds == updated)
        #expect((times == nil) == (updated == nil))
        if let times { #expect(times.value == value) }
    }

    @Test("A change sets the later time, which never decreases")
    func changes() {
        let new = EntityTimes(created: 1000)
        #expect(new.value == "1000" && new.changed(at: 1000).value == "1000")
        #expect(new.changed(at: 2000).value == "1000 2000")
        #expect(new.changed(at: 2000).changed(at: 1500).value == "1000 2000")
        #expect(new.changed(at: 500).value == "1000")
        #expect(EntityTimes.unknown.changed(at: 2000).value == " 2000")
    }

    @Test("Times that are not stored are those of the record")
    func older() {
        let record: TreeValue = ["timestamp": 7, "edited": 8]
        func times(_ times: EntityTimes, _ record: TreeValue) -> [Int64?] {
            let times = times.completed(by: record)
            return [times.created?.milliseconds, times.updated?.milliseconds]
        }
        #expect(times(.unknown, record) == [7, 8])
        #expect(times(.unknown, ["timestamp": 7]) == [7, 7])
        #expect(times(.unknown, ["timestamp": 7.9]) == [7, 7])
        #expect(times(.unknown.changed(at: 9), record) == [7, 9])
        #expect(times(EntityTimes(created: 1), record) == [1, 1])
        for junk: TreeValue in ["later", true, 1e300, -1e300, ["x": 1]] {
            #expect(times(.unknown, ["timestamp": junk]) == [nil, nil])
        }
        #expect(times(.unknown, "junk") == [nil, nil])
    }
}
