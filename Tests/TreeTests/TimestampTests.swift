import Foundation
import TestSupport
import Testing
import TreeModel

@Suite("Moments") struct TimestampTests {
    private static let numbers: [Int64] = [0, 1, -1, 1_700_000_000_000, .max, .min]

    @Test("A timestamp is a bare number in JSON, in the tree and as text", arguments: numbers)
    func coding(number: Int64) throws {
        let moment = Timestamp(milliseconds: number)
        let json = try JSONEncoder().encode([moment])
        #expect(String(decoding: json, as: UTF8.self) == "[\(number)]")
        #expect(try JSONDecoder().decode([Timestamp].self, from: json) == [moment])
        #expect(moment.value == .integer(number) && TreeValue.integer(number).timestampValue == moment)
        #expect("\(moment)" == "\(number)")
    }

    @Test("Only a whole number is a timestamp", arguments: ["5", true, .double(0.5), ["a": 1]] as [TreeValue])
    func noMoment(value: TreeValue) {
        #expect(value.timestampValue == nil)
    }

    @Test(
        "A sum is limited to the range of timestamps",
        arguments: [
            (0, .milliseconds(5), 5), (0, .microseconds(1999), 1), (0, .microseconds(-1999), -1),
            (.max, .milliseconds(1), .max), (.min, .milliseconds(-1), .min), (.max, .milliseconds(-1), .max - 1),
            (1, .milliseconds(Int64.max), .max), (-2, .milliseconds(Int64.min), .min),
            (0, .seconds(Int64.max), .max), (0, .seconds(-Int64.max), .min),
        ] as [(Int64, Duration, Int64)])
    func sum(start: Int64, duration: Duration, end: Int64) {
        let moment = Timestamp(milliseconds: start)
        #expect(moment + duration == Timestamp(milliseconds: end))
        #expect(moment - (.zero - duration) == Timestamp(milliseconds: end))
    }

    @Test("A difference is exact, however large")
    func difference() {
        let moments = Self.numbers.map(Timestamp.init(milliseconds:))
        for one in moments {
            for other in moments {
                #expect(one - other == .zero - (other - one))
                #expect((one - other < .zero) == (one < other))
            }
        }
        #expect(Timestamp.max - .epoch == .milliseconds(Int64.max))
        #expect((Timestamp.max - .min).milliseconds == .max && (Timestamp.min - .max).milliseconds == .min)
    }
}
