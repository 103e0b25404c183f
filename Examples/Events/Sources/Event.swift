import Foundation
import TintypeModel

/// An entity of this app alone, which the service has never heard of. Its nodes are the children of `events`.
struct Event: TreeEntity {
    var id: EntityID<Event>
    var title: String
    var begins: Date
    var place: String?
}
