import Concurrency
import Testing

@Suite("The delay before another attempt")
struct BackoffTests {
    @Test(
        "It doubles with every attempt, up to the longest delay",
        arguments: [(-1, 500), (0, 500), (1, 500), (2, 1000), (3, 2000), (7, 32_000), (8, 60_000), (Int.max, 60_000)]
            as [(Int, Int64)])
    func doubling(attempt: Int, milliseconds: Int64) {
        #expect(Backoff.milliseconds(afterAttempt: attempt) == milliseconds)
        for _ in 0..<20 {
            let delay = Backoff.delay(afterAttempt: attempt)
            #expect(delay >= .milliseconds(milliseconds / 2) && delay <= .milliseconds(milliseconds))
        }
    }

    @Test("The caller sets the first and the longest delay")
    func bounds() {
        let delays = [1, 2, 30].map { Backoff.milliseconds(afterAttempt: $0, from: 1000, atMost: 3_600_000) }
        #expect(delays == [1000, 2000, 3_600_000])
    }
}
