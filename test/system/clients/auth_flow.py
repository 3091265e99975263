"""Takes an OAuth provider through its life cycle with the client library. Prints the address that a user must open."""

import asyncio
import json
import sys

from langchain_auth import Client


async def main(options: dict) -> None:
    client = Client(api_key=options["api_key"], api_url=options["url"])
    provider = await client.create_oauth_provider(
        provider_id="built-in",
        name="Built-in",
        client_id=options["client_id"],
        client_secret=options["client_secret"],
        auth_url=options["auth_url"],
        token_url=options["token_url"],
        uses_pkce=True,
        code_challenge_method="S256",
    )
    assert provider.uses_pkce
    begun = await client.authenticate(provider="built-in", scopes=["read"], user_id="alice")
    assert begun.status == "pending", begun
    print(f"OPEN {begun.url}", flush=True)
    waited = await client.wait_for_completion(begun.auth_id, timeout=30)
    assert waited.status == "completed" and waited.token, waited
    again = await client.authenticate(provider="built-in", scopes=["read"], user_id="alice")
    assert again.token == waited.token
    assert (await client.check_token_exists("built-in")).has_token
    assert (await client.revoke_tokens("built-in")).provider_id == "built-in"
    assert not (await client.check_token_exists("built-in")).has_token
    renamed = await client.update_oauth_provider("built-in", name="Renamed")
    assert renamed.name == (await client.get_oauth_provider("built-in")).name == "Renamed"
    assert len(await client.list_oauth_providers()) == 1
    await client.delete_oauth_provider("built-in")
    assert await client.list_oauth_providers() == []
    print("DONE")


asyncio.run(main(json.loads(sys.argv[1])))
