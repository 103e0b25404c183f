import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Ids that a device makes")
struct PushIDTests {
    /// Random bits that a test chooses.
    private struct Constant: RandomNumberGenerator {
        let bits: UInt64

        func next() -> UInt64 { bits }
    }

    /// Seconds since 1970: a date that is not a number cannot be printed, and arguments are.
    private static let times: [(seconds: Double, beginning: String, milliseconds: Double)] = [
        (0, "--------", 0), (1.5, "------MR", 1500), (1_435_698_720.123, "-Jt5Iypv", 1_435_698_720_123),
        (-5, "--------", 0), (-1e15, "--------", 0), (1e15, "zzzzzzzz", 281_474_976_710_655),
        (.infinity, "zzzzzzzz", 281_474_976_710_655), (.nan, "--------", 0),
    ]

    @Test("The first eight characters are the time", arguments: times)
    func time(_ seconds: Double, _ beginning: String, _ milliseconds: Double) throws {
        var generator = PushID.Generator()
        let id = generator.next(at: Date(timeIntervalSince1970: seconds))
        #expect(id.rawValue.hasPrefix(beginning) && id.rawValue.utf8.count == PushID.length)
        #expect((id.time.timeIntervalSince1970 * 1000).rounded() == milliseconds)
        #expect(PushID(rawValue: id.rawValue) == id)
    }

    @Test("Each id is greater than the one before, within a millisecond and with a clock that is set back")
    func order() {
        var generator = PushID.Generator()
        var last = generator.next(at: Date(timeIntervalSince1970: 1000))
        for seconds in [1000, 1000, 1000.001, 999, 1, -1, 1000.002, 1001, .nan, 1000] {
            let next = generator.next(at: Date(timeIntervalSince1970: seconds))
            #expect(last < next && last.rawValue.utf8.lexicographicallyPrecedes(next.rawValue.utf8))
            last = next
        }
    }

    @Test("The random part is increased with carry, and from its end into the next millisecond")
    func carry() {
        var generator = PushID.Generator()
        var random = Constant(bits: .max)
        let date = Date(timeIntervalSince1970: 0.5)
        #expect(generator.next(at: date, using: &random).rawValue == "------6ozzzzzzzzzzzz")
        #expect(generator.next(at: date, using: &random).rawValue == "------6p------------")
        #expect(generator.next(at: date, using: &random).rawValue == "------6p-----------0")
    }

    @Test("A text of another form is no id", arguments: ["", "-P6x", "-P6xMaZs705oZOURNBh!", "-P6xMaZs705oZOURNBhNN"])
    func otherTexts(_ text: String) {
        #expect(PushID(rawValue: text) == nil)
    }

    @Test("Ids of devices and of the service are in one order of time")
    func sharedOrder() async throws {
        try await TreeHome.run { home in
            var generator = PushID.Generator()
            let local = generator.next(at: Date(timeIntervalSinceNow: -60))
            try await home.events.write(Event(id: EntityID(local.rawValue), title: "earlier"))
            try await home.events.add(Event(id: "new", title: "later"))
            #expect(try await home.events.all().value.elements.map(\.title) == ["earlier", "later"])
        }
    }
}
