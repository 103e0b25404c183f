import Model
import Testing
import TreeModel

@Suite("Addresses of the files of posts")
struct MediaAddressTests {
    private static let id = "-P6xGdOK6scoZJdt2p7F"
    private let place = PublicBase(
        origin: "https://photos.example.org:8443", bucket: PublicBase.bucket(ofProject: "demo"))

    @Test("An address is a path, or a URL if the service has a public base, and is parsed whatever its host")
    func bothForms() throws {
        let owner = try #require(UserID("maria"))
        let id = try #require(PostID(Self.id))
        let path = MediaAddress.url(owner, id, "full-4384985a.jpg", at: nil)
        #expect(path == "/media/maria/\(id)/full-4384985a.jpg")
        let address = MediaAddress.url(owner, id, "full-4384985a.jpg", at: place)
        let name = "maria%2Frendition%2F\(id)%2Ffull-4384985a.jpg"
        #expect(address == "https://photos.example.org:8443/v0/b/demo.appspot.com/o/\(name)?alt=media")
        let elsewhere = PublicBase(origin: "http://10.0.0.1", bucket: "other")
        for url in [path, address, MediaAddress.url(owner, id, "full-4384985a.jpg", at: elsewhere)] {
            let read = try #require(MediaAddress(url))
            #expect(read.owner == owner && read.id == id && read.fileName == "full-4384985a.jpg")
        }
    }

    @Test(
        "An address that the service does not write is refused",
        arguments: [
            "", "/", "/media/maria/\(id)", "/media/maria/\(id)/", "/media/maria/\(id)/a/b.jpg",
            "/media/a.b/\(id)/a.jpg", "/media/maria/x/a.jpg", "media/maria/\(id)/a.jpg",
            "https://h/media/maria/\(id)/a.jpg",
            "https://h/v0/b/b/o/maria%2Frendition%2F\(id)%2Fa.jpg",
            "https://h/v0/b/b/o/maria%2Frendition%2F\(id)%2Fa.jpg?alt=media&token=t",
            "https://h/v0/b/b/o/maria%2Frendition%2F\(id)%2F?alt=media",
            "https://h/v0/b/b/o/maria%2Foriginal%2F\(id)%2Fa.jpg?alt=media",
            "https://h/v0/b/b/o/maria%2Ffull%2F\(id)%2Fa.jpg?alt=media",
            "https://h/v0/b/b/o/maria/rendition/\(id)/a.jpg?alt=media",
            "https:///v0/b/b/o/maria%2Frendition%2F\(id)%2Fa.jpg?alt=media",
            "https://h/v0/b//o/maria%2Frendition%2F\(id)%2Fa.jpg?alt=media",
            "ftp://h/v0/b/b/o/maria%2Frendition%2F\(id)%2Fa.jpg?alt=media",
            "/v0/b/b/o/maria%2Frendition%2F\(id)%2Fa.jpg?alt=media",
            "https://h/app/v0/b/b/o/maria%2Frendition%2F\(id)%2Fa.jpg?alt=media",
        ])
    func others(url: String) {
        #expect(MediaAddress(url) == nil)
    }
}
