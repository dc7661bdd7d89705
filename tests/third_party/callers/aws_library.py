"""The library that agents call AWS with: any operation of any service, with its own signatures and its own repeats."""

import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError


def main() -> None:
    """Do what each line says."""
    for line in sys.stdin:
        told = json.loads(line)
        retries = {"total_max_attempts": told["sends"]} if "sends" in told else {}
        client = boto3.client(
            told["service"],
            endpoint_url=told["url"],
            region_name="eu-west-1",
            aws_access_key_id="invented",
            aws_secret_access_key="invented",
            config=Config(retries=retries, s3={"addressing_style": "path"}),
        )
        try:
            said = {"result": getattr(client, told["operation"])(**told.get("arguments", {}))}
        except (BotoCoreError, ClientError, ResponseParserError) as error:
            said = {"error": type(error).__name__, "message": str(error)}
        sys.stdout.write(json.dumps(said, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
