// The names that the Swift examples of the client's articles use without declaring them. See ../snippets.py.
import Foundation
import TintypeClient
import TintypeModel
import TintypeStore

let service = URL(fileURLWithPath: "/")
let folder = service
let file = service
let photoFile = service
let sharedFolder = service
let password = ""
let token = ""
let nonce = ""
let begins = Date()
let client = ServiceClient(service: service, keychain: MemoryKeychain(), transport: URLSessionTransport())
let store = LocalStore(client: client, records: MemoryRecordStore(), folder: folder)
let write = ParkedWrite(
    id: WriteID(rawValue: 1), reason: .refused(Problem(.unknown, status: 400, message: "refused")))

var submission: Submission<Post.ID> { get async throws { try await store.publish(PostDraft(text: "")) } }

struct Event: TreeEntity, Hashable {
    var id: EntityID<Event>
    var title: String
    var begins: Date
}

func show(_ events: [Event]) {}
