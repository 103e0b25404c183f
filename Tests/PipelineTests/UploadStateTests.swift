import API
import Testing
import Uploads

@Suite("K1, F20: the states of an upload, each of which has an end")
struct UploadStateTests {
    @Test func everyStateLeadsToAnEndAndEndsAreFinal() {
        for state in UploadState.allCases {
            var reached: Set<UploadState> = [state]
            while true {
                let next = reached.union(reached.flatMap(\.next))
                if next == reached { break }
                reached = next
            }
            #expect(reached.contains { $0.isTerminal })
            // A published upload is complete, and may be deleted.
            #expect(state.isTerminal == state.next.isSubset(of: [.deleted]))
        }
    }

    @Test(arguments: [
        (UploadState.ingested, UploadState.expired), (.published, .failed), (.ingested, .deleted), (.failed, .ingested),
        (.expired, .ingested),
        (.draft, .published), (.reserved, .published),
    ])
    func movesThatWouldBreakAPromiseDoNotExist(from: UploadState, to: UploadState) {
        #expect(!from.next.contains(to))
    }
}
