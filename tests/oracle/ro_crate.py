#!/usr/bin/env python3
"""Lets rocrate-validator judge a crate, and ro-crate-py read it.

usage: ro_crate.py CRATE [CONTEXT.jsonld]

CRATE is a folder of `weightlab export --crate`. It must hold all that RO-Crate 1.2 and Process Run Crate 0.5
require, and what they recommend but for the few things in ALLOWED. Nothing is fetched: the context of RO-Crate is that of
the file, or else a table of the terms that crates of Weightlab use, which complains of any other.
"""
import hashlib
import json
import pathlib
import sys

import requests
from rocrate.rocrate import ROCrate
from rocrate_validator import services

CONTEXT = "https://w3id.org/ro/crate/1.2/context"

# The terms of the context; all others of a crate are its own.
SCHEMA = """CreativeWork Dataset Person SoftwareApplication PropertyValue CreateAction DataDownload name description
    datePublished license author hasPart mentions about url version value encodingFormat contentSize sha256 instrument object
    result agent startTime endTime actionStatus error distribution contentUrl sdDatePublished creativeWorkStatus""".split()
TERMS = {
    **{term: f"http://schema.org/{term}" for term in SCHEMA},
    "File": "http://schema.org/MediaObject",
    "conformsTo": "http://purl.org/dc/terms/conformsTo",
    "Profile": "http://www.w3.org/ns/dx/prof/Profile",
}

# What is recommended and not there, and why: parts of the messages.
ALLOWED = {
    "affiliation": "nobody asks the authors for it",
    "contactPoint": "nor for that",
    "`publisher` property": "who publishes a crate adds themselves",
    "A License entity SHOULD have an absolute HTTP(S) URL": "where no licence is named",
    "The Action SHOULD have an agent": "where no author is named",
    "SoftwareApplication id SHOULD be an absolute URI": "Weightlab has no address on the web",
}


def serve(context):
    """Answers requests for the context, and refuses all others."""

    def send(_, request, **__):
        response = requests.Response()
        response.request, response.url = request, request.url
        is_context = request.url.rstrip("/") == CONTEXT
        response.status_code = 200 if is_context else 404
        response.headers["Content-Type"] = "application/ld+json"
        response._content = json.dumps(context if is_context else {}).encode()
        return response

    requests.adapters.HTTPAdapter.send = send


def terms_of(entity):
    for key, value in entity.items():
        if key == "@type":
            yield from [value] if isinstance(value, str) else value
        elif not key.startswith("@"):
            yield key


def judge(crate, profile, severity):
    settings = services.ValidationSettings(
        rocrate_uri=str(crate),
        profile_identifier=profile,
        requirement_severity=severity,
        skip_availability_check=True,
        # Of Process Run Crate 0.5 alone: it is written on top of RO-Crate 1.1, which a crate of 1.2 cannot name.
        disable_inherited_profiles_issue_reporting=True,
        no_cache=True,
    )
    return services.validate(settings).get_issues()


def check(crate):
    for profile in ["ro-crate-1.2", "process-run-crate-0.5"]:
        for severity in [services.Severity.REQUIRED, services.Severity.RECOMMENDED]:
            issues = judge(crate, profile, severity)
            found = {f"{issue.check.identifier} {issue.message}" for issue in issues}
            unknown = sorted(issue for issue in found if not any(part in issue for part in ALLOWED))
            if severity == services.Severity.REQUIRED:
                unknown = sorted(found)
            if unknown:
                sys.exit(f"{crate} does not hold what {profile} has as {severity.name}:\n" + "\n".join(unknown))
            print(f"{profile}, {severity.name}: {len(found)} known exceptions")


def read(folder):
    """Reads the crate as ro-crate-py does, and compares all digests."""
    crate = ROCrate(folder)
    files = [entity for entity in crate.get_entities() if entity.type == "File"]
    assert len(files) > 5 and crate.mainEntity is None
    for file in files:
        content = (pathlib.Path(folder) / requests.utils.unquote(file.id)).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"], file.id
        assert str(len(content)) == file["contentSize"], file.id
    described = {requests.utils.unquote(file.id) for file in files}
    there = {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*") if path.is_file()}
    assert there - described == {"ro-crate-metadata.json"}, there ^ described
    print(f"ro-crate-py reads {len(files)} files with the digests that they have")


def main(crate, context=None):
    document = json.loads((pathlib.Path(crate) / "ro-crate-metadata.json").read_text())
    _, own = document["@context"]
    used = {term for entity in document["@graph"] for term in terms_of(entity)}
    assert used <= set(TERMS) | set(own), f"unknown terms: {used - set(TERMS) - set(own)}"
    serve(json.loads(pathlib.Path(context).read_text()) if context else {"@context": TERMS})
    check(crate)
    read(crate)


if __name__ == "__main__":
    main(*sys.argv[1:])
