import Synchronization
import TestSupport
import Testing

@testable import Tree

@Suite struct PushIDTests {
    /// The expected text was worked out independently, from the alphabet: 0 is "-", 63 is "z".
    @Test("the time is the first eight characters")
    func layout() {
        let generator = PushIDGenerator(clock: { 1_700_000_000_000 }, random: { 0 })
        let id = generator.next()
        #expect(id.string == "-NjEtLV-------------")
        #expect(id.timestamp == 1_700_000_000_000)
        #expect(PushIDGenerator(clock: { 64 }, random: { 0 }).next().string == "------0-------------")
        #expect(PushID(id.string) == id && id.key.string == id.string)
    }

    @Test(
        "texts that are not push ids are refused",
        arguments: ["", "-NjG", String(repeating: "-", count: 21), "-NjG8Y!-------------"])
    func refused(text: String) {
        #expect(PushID(text) == nil)
    }

    @Test("100,000 ids of one millisecond are in order")
    func oneMillisecond() {
        let generator = PushIDGenerator(clock: { 1_700_000_000_000 })
        let ids = (0..<100_000).map { _ in generator.next() }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 && $0.key < $1.key })
        #expect(ids.allSatisfy { $0.timestamp == 1_700_000_000_000 })
    }

    @Test("a clock set back does not set ids back")
    func clockSetBack() {
        let times = Mutex<[Timestamp]>([5_000, 4_000, 0, -7, 5_000, 5_001, .max, 3])
        let generator = PushIDGenerator(clock: { times.withLock { $0.removeFirst() } })
        let ids = (0..<8).map { _ in generator.next() }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        let stamps: [Timestamp] = [5_000, 5_000, 5_000, 5_000, 5_000, 5_001, PushID.maxTimestamp, PushID.maxTimestamp]
        #expect(ids.map(\.timestamp) == stamps)
    }

    @Test("the random part counts up with carry, and over into the next millisecond")
    func carry() {
        let generator = PushIDGenerator(clock: { 0 }, random: { .max })
        #expect(generator.next().string == "--------zzzzzzzzzzzz")
        #expect(generator.next().string == "-------0------------")
        #expect(generator.next().string == "-------0-----------0")
    }

    @Test("ids from many concurrent tasks are all different")
    func concurrent() async {
        let generator = PushIDGenerator()
        let ids = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { (0..<2_000).map { _ in generator.next() } } }
            return await group.reduce(into: [PushID]()) { $0 += $1 }
        }
        #expect(Set(ids).count == 16_000)
    }
}
