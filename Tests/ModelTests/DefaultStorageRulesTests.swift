import Model
import TestSupport
import Testing
import TreeModel

@testable import Rules

@Suite struct DefaultStorageRulesTests {
    typealias Photo = (
        operation: StorageOperation, name: String, uid: String?, isAdmin: Bool, size: Int64?, type: String?,
        isAllowed: Bool
    )

    static let photos: [Photo] = [
        (.get, "anna/full/P/a.jpg", nil, false, nil, nil, true),
        (.get, "anna/thumb/P/a.jpg", nil, false, nil, nil, true),
        (.list, "anna/full/P", nil, false, nil, nil, false), (.list, "anna/full/P", "bob", false, nil, nil, false),
        (.list, "anna/full/P/", "anna", false, nil, nil, true), (.list, "anna", "anna", false, nil, nil, true),
        (.list, "", "anna", false, nil, nil, false),
        (.create, "anna/full/P/a.jpg", "anna", false, 5_000_000, "image/jpeg", true),
        (.update, "anna/full/P/a.jpg", "anna", false, 10, "image/png", true),
        (.create, "anna/full/P/a.jpg", "anna", false, 5 * 1024 * 1024, "image/jpeg", false),
        (.create, "anna/thumb/P/a.jpg", "anna", false, 1_000_000, "image/jpeg", true),
        (.create, "anna/thumb/P/a.jpg", "anna", false, 2_000_000, "image/jpeg", false),
        (.create, "anna/full/P/a.jpg", "anna", false, 10, "text/html", false),
        (.create, "anna/full/P/a.jpg", "anna", false, 10, nil, false),
        (.create, "anna/full/P/a.jpg", "bob", false, 10, "image/jpeg", false),
        (.create, "anna/full/P/a.jpg", nil, false, 10, "image/jpeg", false),
        (.create, "anna/full/P/a.jpg", "eve", true, 50_000_000, "text/html", true),
        (.delete, "anna/full/P/a.jpg", "anna", false, nil, nil, true),
        (.delete, "anna/full/P/a.jpg", "bob", false, nil, nil, false),
        (.delete, "anna/full/P/a.jpg", nil, false, nil, nil, false),
        (.delete, "anna/full/P/a.jpg", "eve", true, nil, nil, true),
        (.create, "anna/other/P/a.jpg", "anna", false, 10, "image/jpeg", false),
        (.create, "anna/full/a.jpg", "anna", false, 10, "image/jpeg", false),
        (.create, "anna/full/P/../../bob/full/P/a.jpg", "anna", false, 10, "image/jpeg", false),
        (.create, "anna/full/P/x/a.jpg", "anna", false, 10, "image/jpeg", false),
        (.get, "anna/full/P//a.jpg", "anna", false, nil, nil, false),
    ]

    @Test("the default rules let people write their own photos, and everybody read them", arguments: photos)
    func defaults(photo: Photo) throws {
        let rules = try StorageRules(DefaultRules.storage)
        let token: JSONValue = photo.isAdmin ? ["admin": true] : .object([:])
        let subject = RulesSubject(
            auth: photo.uid.map { ["uid": .string($0), "token": token] }, now: 1)
        let newResource = photo.size.map {
            StorageResource(name: photo.name, bucket: "b", size: $0, contentType: photo.type)
        }
        let verdict = rules.judge(
            photo.operation, of: photo.name, in: "b", by: subject, resource: nil, newResource: newResource)
        #expect(verdict.isAllowed == photo.isAllowed)
    }
}
